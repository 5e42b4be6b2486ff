/**
 * Files inside containers, stored in the swarm as configs or secrets. The name is derived from a digest of the content,
 * so that equal files share one object and creating it twice has no effect.
 */
import { createHash } from 'node:crypto'
import type { ApiConfig, ApiService } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import type { FileReference } from './spec.ts'
import { EngineFailure } from '../../engine.ts'
import { installationLabel } from '../../labels.ts'
import type { SpecFile } from '../../spec.ts'

/** The kind of object, as it appears in the paths of Docker's API. */
type FileKind = 'configs' | 'secrets'

/** Creates the missing configs and secrets and returns one reference for each file. */
export function ensureFiles(client: DockerClient, installationId: string, files: SpecFile[]): Promise<FileReference[]> {
  return Promise.all(
    files.map(async ({ path, content, isSecret = false }) => {
      const name = nameOf(content)
      const id = await idOf(client, isSecret ? 'secrets' : 'configs', name, content, installationId)
      return { path, id, name, isSecret }
    }),
  )
}

/** The API paths of the configs and secrets that the service uses. */
export function filePathsOf(service: ApiService): string[] {
  const { Configs, Secrets } = service.Spec.TaskTemplate.ContainerSpec ?? {}
  return [
    ...(Configs ?? []).map(({ ConfigID }) => `/configs/${ConfigID}`),
    ...(Secrets ?? []).map(({ SecretID }) => `/secrets/${SecretID}`),
  ]
}

/** Removes the configs and secrets that no service uses. The swarm refuses to remove the others. */
export async function removeUnusedFiles(client: DockerClient, paths: string[]): Promise<void> {
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
 * Removes unused configs and secrets that an earlier Berth process left between two calls. A service that is about to
 * use one of them creates the object again.
 */
export async function removeLeftoverFiles(client: DockerClient, installationId: string): Promise<void> {
  const query = { filters: { label: [`${installationLabel}=${installationId}`] } }
  const pathsOf = async (kind: FileKind) =>
    (await client.call<ApiConfig[]>({ path: `/${kind}`, query })).map(({ ID }) => `/${kind}/${ID}`)
  const existing = [...(await pathsOf('configs')), ...(await pathsOf('secrets'))]
  if (existing.length === 0) return
  const used = new Set((await client.call<ApiService[]>({ path: '/services', query })).flatMap(filePathsOf))
  await removeUnusedFiles(
    client,
    existing.filter((path) => !used.has(path)),
  )
}

function nameOf(content: string): string {
  return `berth-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`
}

async function idOf(
  client: DockerClient,
  kind: FileKind,
  name: string,
  content: string,
  installationId: string,
): Promise<string> {
  const existing = await find(client, kind, name)
  if (existing) return existing.ID
  try {
    const body = { Name: name, Labels: { [installationLabel]: installationId }, Data: base64(content) }
    return (await client.call<{ ID: string }>({ method: 'POST', path: `/${kind}/create`, body })).ID
  } catch (error) {
    // Another process may have created the object first.
    const isConflict = error instanceof EngineFailure && error.reason === 'conflict'
    const created = isConflict ? await find(client, kind, name) : undefined
    if (!created) throw error
    return created.ID
  }
}

async function find(client: DockerClient, kind: FileKind, name: string): Promise<ApiConfig | undefined> {
  const all = await client.call<ApiConfig[]>({ path: `/${kind}`, query: { filters: { name: [name] } } })
  return all.find((it) => it.Spec.Name === name)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
