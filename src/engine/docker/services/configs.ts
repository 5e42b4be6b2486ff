/**
 * Files inside containers, held by the swarm as configs, or as secrets. One is named by its content's digest, so that
 * equal files share one and making it again changes nothing.
 */
import { createHash } from 'node:crypto'
import type { ApiConfig, ApiService } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import type { HeldFile } from './spec.ts'
import { EngineFailure } from '../../engine.ts'
import { installationLabel } from '../../labels.ts'
import type { SpecFile } from '../../spec.ts'

/** As the engine's API has them, in its paths. */
type Keeping = 'configs' | 'secrets'

export function holdFiles(client: DockerClient, installationId: string, files: SpecFile[]): Promise<HeldFile[]> {
  return Promise.all(
    files.map(async ({ path, content, isSecret = false }) => {
      const name = nameOf(content)
      const id = await idOf(client, isSecret ? 'secrets' : 'configs', name, content, installationId)
      return { path, id, name, isSecret }
    }),
  )
}

/** Paths of what the service holds, in the engine's API. */
export function heldBy(service: ApiService): string[] {
  const { Configs, Secrets } = service.Spec.TaskTemplate.ContainerSpec ?? {}
  return [
    ...(Configs ?? []).map(({ ConfigID }) => `/configs/${ConfigID}`),
    ...(Secrets ?? []).map(({ SecretID }) => `/secrets/${SecretID}`),
  ]
}

/** Lets go of those that no service uses any more; the swarm itself refuses for the others. */
export async function dropUnused(client: DockerClient, paths: string[]): Promise<void> {
  await Promise.all(
    paths.map(async (path) => {
      try {
        await client.call({ method: 'DELETE', path })
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error
      }
    }),
  )
}

/**
 * What a Berth that ended between two calls has left: no service holds it. Whoever was about to hold it makes it again,
 * as one that somebody took away.
 */
export async function dropLeft(client: DockerClient, installationId: string): Promise<void> {
  const query = { filters: { label: [`${installationLabel}=${installationId}`] } }
  const pathsOf = async (keeping: Keeping) =>
    (await client.call<ApiConfig[]>({ path: `/${keeping}`, query })).map(({ ID }) => `/${keeping}/${ID}`)
  const found = [...(await pathsOf('configs')), ...(await pathsOf('secrets'))]
  if (found.length === 0) return
  const held = new Set((await client.call<ApiService[]>({ path: '/services', query })).flatMap(heldBy))
  await dropUnused(
    client,
    found.filter((path) => !held.has(path)),
  )
}

function nameOf(content: string): string {
  return `berth-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`
}

async function idOf(
  client: DockerClient,
  keeping: Keeping,
  name: string,
  content: string,
  installationId: string,
): Promise<string> {
  const found = await find(client, keeping, name)
  if (found) return found.ID
  try {
    const body = { Name: name, Labels: { [installationLabel]: installationId }, Data: base64(content) }
    return (await client.call<{ ID: string }>({ method: 'POST', path: `/${keeping}/create`, body })).ID
  } catch (error) {
    // Another one may have been first.
    const made =
      error instanceof EngineFailure && error.reason === 'conflict' ? await find(client, keeping, name) : undefined
    if (!made) throw error
    return made.ID
  }
}

async function find(client: DockerClient, keeping: Keeping, name: string): Promise<ApiConfig | undefined> {
  const all = await client.call<ApiConfig[]>({ path: `/${keeping}`, query: { filters: { name: [name] } } })
  return all.find((it) => it.Spec.Name === name)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
