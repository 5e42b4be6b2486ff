/** Images on this engine's own node: what they declare, and how one is made present. */
import { repositoryOf, sameRepository } from '../../../lib/text/image-reference.ts'
import type { ApiImage } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing, unavailable } from '../transport/errors.ts'
import { authHeader } from './registry-auth.ts'
import { lines } from '../events.ts'
import { EngineFailure } from '../../engine.ts'
import type { CredentialsFor, ImageFound } from '../../engine.ts'

/** Until the registry's first word, which may wait for a name to be resolved. */
const firstWordMs = 60_000
const pullMs = 30 * 60_000

export async function image(client: DockerClient, reference: string): Promise<ImageFound | null> {
  const path = `/images/${reference.split('/').map(encodeURIComponent).join('/')}/json`
  try {
    const it = await client.call<ApiImage>({ path })
    const digest = it.RepoDigests?.find((name) => sameRepository(name, reference)) ?? null
    return { id: it.Id, digest, architecture: it.Architecture, env: it.Config?.Env ?? [] }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Pulls it where it is missing; EngineFailure, in the engine's words, where that fails. */
export async function makePresent(
  client: DockerClient,
  credentialsFor: CredentialsFor,
  reference: string,
  signal: AbortSignal,
): Promise<void> {
  if (await image(client, reference)) return
  try {
    await pullImage(client, credentialsFor, reference, signal)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    throw new EngineFailure('missing', `No such image: ${reference}, and it cannot be pulled: ${error.message}`)
  }
}

/** Gives `name@sha256:...` as the registry names it. */
export async function pullImage(
  client: DockerClient,
  credentialsFor: CredentialsFor,
  reference: string,
  signal: AbortSignal,
): Promise<string | null> {
  const headers = await authHeader(credentialsFor, reference)
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(pullMs)])
  const { failure, digest } = await pull(client, reference, headers, bounded)
  if (failure !== null) throw new EngineFailure('missing', failure)
  return digest === null ? null : `${repositoryOf(reference)}@${digest}`
}

async function pull(
  client: DockerClient,
  reference: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<{ failure: string | null; digest: string | null }> {
  const end: { failure: string | null; digest: string | null } = { failure: null, digest: null }
  const take = lines((line) => {
    const { error, status } = JSON.parse(line) as { error?: string; status?: string }
    end.failure = error ?? end.failure
    end.digest = /^Digest: (sha256:[0-9a-f]{64})$/.exec(status ?? '')?.[1] ?? end.digest
  })
  const query = { fromImage: reference, ...(isTagged(reference) ? {} : { tag: 'latest' }) }
  const call = { method: 'POST', path: '/images/create', query, headers, timeoutMs: firstWordMs } as const
  const stream = await client.stream(call, signal)
  try {
    for await (const chunk of stream) take(chunk as Buffer)
  } catch (error) {
    throw unavailable(error)
  }
  return end
}

/** Without a tag or a digest the engine would pull every tag. */
function isTagged(reference: string): boolean {
  return reference.includes('@') || reference.slice(reference.lastIndexOf('/') + 1).includes(':')
}
