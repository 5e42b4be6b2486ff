/** Images on this engine's own node: what they declare, and how one is made present. */
import type { ApiImage } from './docker-api.ts'
import type { DockerClient } from './docker-client.ts'
import { isMissing, unavailable } from './docker-errors.ts'
import { authHeader } from './docker-registry-auth.ts'
import { lines } from './docker-watch.ts'
import { EngineRefused } from './engine.ts'
import type { CredentialsFor, ImageFound } from './engine.ts'

/** Until the registry's first word, which may wait for a name to be resolved. */
const firstWordMs = 60_000
const pullMs = 30 * 60_000

export async function image(client: DockerClient, reference: string): Promise<ImageFound | null> {
  const path = `/images/${reference.split('/').map(encodeURIComponent).join('/')}/json`
  try {
    const it = await client.call<ApiImage>({ path })
    return { digest: it.RepoDigests?.[0] ?? null, architecture: it.Architecture, env: it.Config?.Env ?? [] }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Pulls it where it is missing; EngineRefused, in the engine's words, where that fails. */
export async function makePresent(
  client: DockerClient, credentialsFor: CredentialsFor, reference: string, signal: AbortSignal,
): Promise<void> {
  if (await image(client, reference)) return
  const headers = await authHeader(credentialsFor, reference)
  const words = await pull(client, reference, headers, AbortSignal.any([signal, AbortSignal.timeout(pullMs)]))
    .catch((error: unknown) => {
      if (error instanceof EngineRefused) return error.message
      throw error
    })
  if (words !== null) throw new EngineRefused(404, `No such image: ${reference}, and it cannot be pulled: ${words}`)
}

/** Gives the words of a failure; null: done. */
async function pull(
  client: DockerClient, reference: string, headers: Record<string, string>, signal: AbortSignal,
): Promise<string | null> {
  let failure: string | null = null
  const take = lines((line) => { failure = (JSON.parse(line) as { error?: string }).error ?? failure })
  const query = { fromImage: reference, ...(isTagged(reference) ? {} : { tag: 'latest' }) }
  const call = { method: 'POST', path: '/images/create', query, headers, timeoutMs: firstWordMs } as const
  const stream = await client.stream(call, signal)
  try {
    for await (const chunk of stream) take(chunk as Buffer)
  } catch (error) {
    throw unavailable(error)
  }
  return failure
}

/** Without a tag or a digest the engine would pull every tag. */
function isTagged(reference: string): boolean {
  return reference.includes('@') || reference.slice(reference.lastIndexOf('/') + 1).includes(':')
}
