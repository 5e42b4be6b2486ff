/** Reads and pulls images on the engine's own node. */
import { repositoryOf, sameRepository } from '../../../lib/text/image-reference.ts'
import type { ApiImage } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing, unavailable } from '../transport/errors.ts'
import { authHeader } from './registry-auth.ts'
import { lineSplitter } from '../events.ts'
import { EngineFailure } from '../../engine.ts'
import type { CredentialsFor, ImageFound } from '../../engine.ts'

/** The time limit for the first answer of the registry, including the resolution of its host name. */
const firstAnswerMs = 60_000
const maxPullMs = 30 * 60_000

/** See `Engine.image` in engine/engine.ts. */
export async function image(client: DockerClient, reference: string): Promise<ImageFound | null> {
  const path = `/images/${reference.split('/').map(encodeURIComponent).join('/')}/json`
  try {
    const { Id, RepoDigests, Architecture, Config } = await client.call<ApiImage>({ path })
    const digest = RepoDigests?.find((name) => sameRepository(name, reference)) ?? null
    const start = { entrypoint: Config?.Entrypoint ?? [], command: Config?.Cmd ?? [] }
    return { id: Id, digest, architecture: Architecture, env: Config?.Env ?? [], start }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Pulls an image if the node does not have it. Throws EngineFailure `missing` if the engine reports a failure. */
export async function ensureImage(
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

/** See `Engine.pullImage` in engine/engine.ts. Takes at most 30 minutes. */
export async function pullImage(
  client: DockerClient,
  credentialsFor: CredentialsFor,
  reference: string,
  signal: AbortSignal,
): Promise<string | null> {
  const headers = await authHeader(credentialsFor, reference)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(maxPullMs)])
  const { failure, digest } = await pull(client, reference, headers, limit)
  if (failure !== null) throw new EngineFailure('missing', failure)
  return digest === null ? null : `${repositoryOf(reference)}@${digest}`
}

async function pull(
  client: DockerClient,
  reference: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<{ failure: string | null; digest: string | null }> {
  const result: { failure: string | null; digest: string | null } = { failure: null, digest: null }
  const take = lineSplitter((line) => {
    const { error, status } = JSON.parse(line) as { error?: string; status?: string }
    result.failure = error ?? result.failure
    result.digest = /^Digest: (sha256:[0-9a-f]{64})$/.exec(status ?? '')?.[1] ?? result.digest
  })
  const query = { fromImage: reference, ...(isTagged(reference) ? {} : { tag: 'latest' }) }
  const call = { method: 'POST', path: '/images/create', query, headers, timeoutMs: firstAnswerMs } as const
  const stream = await client.stream(call, signal)
  try {
    for await (const chunk of stream) take(chunk as Buffer)
  } catch (error) {
    throw unavailable(error)
  }
  return result
}

/** Whether the reference has a tag or a digest. For a reference with neither, the engine would pull every tag. */
function isTagged(reference: string): boolean {
  return reference.includes('@') || reference.slice(reference.lastIndexOf('/') + 1).includes(':')
}
