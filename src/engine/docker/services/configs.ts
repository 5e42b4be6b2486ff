/**
 * Stores the files of containers in the swarm as configs or secrets. The name of a config or secret is a digest of its
 * content. Therefore equal files share one object, and repeated calls create one object.
 */
import { createHash } from 'node:crypto'
import type { ApiConfig, ApiService } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import type { FileReference } from './spec.ts'
import { EngineFailure } from '../../engine.ts'
import { chargeConfigOf, installationLabel } from '../../labels.ts'
import type { SpecFile } from '../../spec.ts'

/** The type of object, spelled as in the paths of Docker's API. */
type FileKind = 'configs' | 'secrets'

/** Creates the missing configs and secrets and returns one reference for each file. */
export function ensureFiles(client: DockerClient, installationId: string, files: SpecFile[]): Promise<FileReference[]> {
  return Promise.all(
    files.map(async ({ path, content, isSecret = false }) => {
      const name = nameOf(content)
      const id = await ensureFile(client, isSecret ? 'secrets' : 'configs', name, content, installationId)
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

/**
 * Removes the listed configs and secrets, except those that a service uses: the swarm refuses to remove these. Ignores
 * every EngineFailure.
 *
 * @param paths API paths, as `filePathsOf` returns them
 */
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
 * Removes this installation's configs and secrets that no service uses. A Berth process leaves such objects if the
 * process ends after it created them and before it created their service, or before it removed them. If this function
 * removes an object just before a service with that file is created, services.ts creates the object again.
 */
export async function removeLeftoverFiles(client: DockerClient, installationId: string): Promise<void> {
  const query = { filters: { label: [`${installationLabel}=${installationId}`] } }
  const pathsOf = async (kind: FileKind) =>
    (await client.call<ApiConfig[]>({ path: `/${kind}`, query }))
      .filter(({ Spec }) => Spec.Name !== chargeConfigOf(installationId))
      .map(({ ID }) => `/${kind}/${ID}`)
  const paths = [...(await pathsOf('configs')), ...(await pathsOf('secrets'))]
  if (paths.length === 0) return
  const used = new Set((await client.call<ApiService[]>({ path: '/services', query })).flatMap(filePathsOf))
  await removeUnusedFiles(
    client,
    paths.filter((path) => !used.has(path)),
  )
}

function nameOf(content: string): string {
  return `berth-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`
}

/** Returns the id of the config or secret with this content. Creates the object if it is missing. */
async function ensureFile(
  client: DockerClient,
  kind: FileKind,
  name: string,
  content: string,
  installationId: string,
): Promise<string> {
  const existing = await findByName(client, kind, name)
  if (existing) return existing.ID
  try {
    const body = { Name: name, Labels: { [installationLabel]: installationId }, Data: base64(content) }
    return (await client.call<{ ID: string }>({ method: 'POST', path: `/${kind}/create`, body })).ID
  } catch (error) {
    // Another process may have created the object first.
    const isConflict = error instanceof EngineFailure && error.reason === 'conflict'
    const created = isConflict ? await findByName(client, kind, name) : undefined
    if (!created) throw error
    return created.ID
  }
}

async function findByName(client: DockerClient, kind: FileKind, name: string): Promise<ApiConfig | undefined> {
  // Docker's filter also returns objects whose name only begins with this name.
  const matches = await client.call<ApiConfig[]>({ path: `/${kind}`, query: { filters: { name: [name] } } })
  return matches.find(({ Spec }) => Spec.Name === name)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
