/** Reads, pulls and copies images. Each node has its own images. */
import { pipeline, type Readable, Transform } from 'node:stream'
import { repositoryOf, sameRepository } from '../../../lib/text/image-reference.ts'
import type { ApiImage } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import type { NodeClients } from '../nodes/node-clients.ts'
import { isMissing, unavailable } from '../transport/errors.ts'
import { authHeader } from './registry-auth.ts'
import { lineSplitter } from '../events.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { CredentialsFor, Engine, ImageFound } from '../../engine.ts'

/** The time limit for the first answer of the registry, including the resolution of its host name. */
const firstAnswerMs = 60_000
const maxPullMs = 30 * 60_000
/** How long a copy can go without a part that passes from one engine to the other. */
const maxIdleMs = 120_000

type ImageMethods = Pick<Engine, 'image' | 'pullImage' | 'provideImage'>

/** Makes an image available on the node of the client. See `Engine.provideImage`. */
export type ProvideImage = (client: DockerClient, reference: string, signal: AbortSignal) => Promise<void>

export function imageMethods(
  nodes: NodeClients,
  credentialsFor: CredentialsFor,
  provideImage: ProvideImage,
): ImageMethods {
  return {
    image: async (reference, nodeId) => image(await nodes.of(nodeId), reference),
    pullImage: async (reference, signal, nodeId) =>
      pullImage(await nodes.of(nodeId), credentialsFor, reference, signal),
    provideImage: async (reference, nodeId, signal) => provideImage(await nodes.of(nodeId), reference, signal),
  }
}

async function image(client: DockerClient, reference: string): Promise<ImageFound | null> {
  try {
    const { Id, RepoDigests, Architecture, Config } = await client.call<ApiImage>({ path: `${pathOf(reference)}/json` })
    const digest = RepoDigests?.find((name) => sameRepository(name, reference)) ?? null
    return { id: Id, digest, architecture: Architecture, env: Config?.Env ?? [] }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const pathOf = (reference: string) => `/images/${reference.split('/').map(encodeURIComponent).join('/')}`

/**
 * The function throws EngineFailure `missing` if no registry and no engine has the image.
 * @param own the client of the engine whose images are copied
 */
export function imageProvider(
  own: DockerClient,
  credentialsFor: CredentialsFor,
  idleMs: number = maxIdleMs,
): ProvideImage {
  return async (client, reference, signal) => {
    if (await image(client, reference)) return
    try {
      await pullImage(client, credentialsFor, reference, signal)
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.reason === 'nodeUnreachable') throw error
      if (client !== own && (await image(own, reference))) return copyImage(own, client, reference, idleMs, signal)
      throw new EngineFailure('missing', `No such image: ${reference}, and it cannot be pulled: ${error.message}`)
    }
  }
}

/** Streams an image from one engine to another, like `docker save` and `docker load`. */
async function copyImage(
  from: DockerClient,
  to: DockerClient,
  reference: string,
  idleMs: number,
  signal: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(maxPullMs)])
  const archive = await from.stream({ path: `${pathOf(reference)}/get`, timeoutMs: firstAnswerMs }, limit)
  const call = {
    method: 'POST',
    path: '/images/load',
    query: { quiet: 1 },
    body: endingWhenIdle(archive, idleMs),
    timeoutMs: maxPullMs,
  } as const
  try {
    const { failure } = await to.following(progressOf(await to.stream(call, limit)))
    if (failure !== null) throw new EngineFailure('failed', failure)
  } finally {
    archive.destroy()
  }
}

/** Passes the archive on. Fails if no part passes for the time, because one engine sends or takes nothing. */
function endingWhenIdle(archive: Readable, ms: number): Readable {
  const passing = new Transform({
    transform(part: Buffer, _encoding, done) {
      timer.refresh()
      done(null, part)
    },
  })
  const timer = setTimeout(() => {
    passing.destroy(new EngineUnavailable(`no part of the image was transferred for ${ms / 1000} seconds`))
  }, ms)
  passing.on('close', () => clearTimeout(timer))
  pipeline(archive, passing, () => undefined)
  return passing
}

/** See `Engine.pullImage` in engine/engine.ts. Takes at most 30 minutes. */
async function pullImage(
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

interface Progress {
  /** The last error message; null if there was none. */
  failure: string | null
  /** The digest that the engine reported; null if it reported none. */
  digest: string | null
}

async function pull(
  client: DockerClient,
  reference: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Progress> {
  const query = { fromImage: reference, ...(isTagged(reference) ? {} : { tag: 'latest' }) }
  const call = { method: 'POST', path: '/images/create', query, headers, timeoutMs: firstAnswerMs } as const
  return client.following(progressOf(await client.stream(call, signal)))
}

/** Reads the messages of a pull or a load to their end. */
async function progressOf(stream: AsyncIterable<Buffer>): Promise<Progress> {
  const result: Progress = { failure: null, digest: null }
  const take = lineSplitter((line) => {
    const { error, status } = JSON.parse(line) as { error?: string; status?: string }
    result.failure = error ?? result.failure
    result.digest = /^Digest: (sha256:[0-9a-f]{64})$/.exec(status ?? '')?.[1] ?? result.digest
  })
  try {
    for await (const chunk of stream) take(chunk)
  } catch (error) {
    throw unavailable(error)
  }
  return result
}

/** Whether the reference has a tag or a digest. For a reference with neither, the engine would pull every tag. */
function isTagged(reference: string): boolean {
  return reference.includes('@') || reference.slice(reference.lastIndexOf('/') + 1).includes(':')
}
