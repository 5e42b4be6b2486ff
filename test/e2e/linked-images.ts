/**
 * Images of the machine's engine for an engine that has not started yet. The files of a layer never change, so both
 * engines can use the same files through hard links. Saving and loading the images would take much longer.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { docker, dockerHost } from './swarm.ts'
import { run } from './host.ts'

/** The names of images by repository, each with the image's id. */
type Repositories = Record<string, Record<string, string>>

/**
 * Puts the images into the data folder of an engine that has not started yet. Returns false, and puts nothing there, if
 * the machine's engine lacks an image or keeps its images in another way or on another file system.
 */
export async function linkImages(images: string[], data: string): Promise<boolean> {
  mkdirSync(data, { recursive: true })
  const root = await overlayRoot()
  if (root === null || statSync(root).dev !== statSync(data).dev) return false
  const [from, to] = [join(root, 'image/overlay2'), join(data, 'image/overlay2')]
  const repositories = chosen(images, readJson<{ Repositories: Repositories }>(join(from, 'repositories.json')))
  if (repositories === null) return false
  const ids = new Set(Object.values(repositories).flatMap((names) => Object.values(names)))
  const contents = [...ids].map((id) => join(from, 'imagedb/content', pathOf(id)))
  const chains = new Set(contents.flatMap((path) => chainIds(readJson<ImageContent>(path).rootfs.diff_ids)))
  const layers = [...chains].map((id) => join(from, 'layerdb', pathOf(id)))
  const files = layers.map((layer) => join(root, 'overlay2', readFileSync(join(layer, 'cache-id'), 'utf8')))
  // The engine names the files of a layer in mount options by this short link.
  const links = files.map((folder) => join(root, 'overlay2/l', readFileSync(join(folder, 'link'), 'utf8')))
  try {
    await link(root, links, join(data, 'overlay2/l'))
  } catch {
    rmSync(data, { recursive: true })
    return false
  }
  await link(root, files, join(data, 'overlay2'))
  await copy(contents, join(to, 'imagedb/content/sha256'))
  await copy(layers, join(to, 'layerdb/sha256'))
  writeFileSync(join(to, 'repositories.json'), JSON.stringify({ Repositories: repositories }), { mode: 0o600 })
  return true
}

interface ImageContent {
  rootfs: { diff_ids: string[] }
}

/** The data folder of the machine's engine. Null if this process cannot read it, or if it has no folder of overlay2. */
async function overlayRoot(): Promise<string | null> {
  const [line = ''] = await docker('info', '--format', '{{.Driver}} {{.DockerRootDir}}')
  const [driver, root = ''] = line.split(' ')
  const isHere = dockerHost.startsWith('unix://') && existsSync(join(root, 'overlay2'))
  return driver === 'overlay2' && isHere ? root : null
}

/** The repositories with no other images than these. Null if one of them is missing. */
function chosen(images: string[], { Repositories }: { Repositories: Repositories }): Repositories | null {
  const result: Repositories = {}
  for (const image of images) {
    const [repository, names] = Object.entries(Repositories).find(([, ids]) => ids[image] !== undefined) ?? []
    if (repository === undefined || names === undefined) return null
    result[repository] = { ...result[repository], [image]: names[image]! }
  }
  return result
}

/**
 * The ids under which the engine keeps an image's layers: the first is the digest of its files, each other one the
 * digest of the id before it and the digest of its files (OCI image specification, "Layer ChainID").
 */
function chainIds(diffIds: string[]): string[] {
  const ids: string[] = []
  for (const diffId of diffIds) {
    const previous = ids.at(-1)
    const digest = createHash('sha256').update(`${previous} ${diffId}`).digest('hex')
    ids.push(previous === undefined ? diffId : `sha256:${digest}`)
  }
  return ids
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'))

/** `sha256:…` as a path. */
const pathOf = (id: string) => id.replace(':', '/')

async function copy(paths: string[], folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await run('cp', ['--archive', ...paths, folder])
}

/**
 * Copies files as hard links. The engine mounts its data folder on itself, and links cannot lead from one mount to
 * another. So this removes the mount, in a namespace where only `cp` runs.
 */
async function link(root: string, paths: string[], folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const script = 'umount --lazy "$1"; shift; exec cp --archive --link "$@"'
  await run('unshare', ['--mount', 'sh', '-c', script, 'sh', root, ...paths, folder])
}
