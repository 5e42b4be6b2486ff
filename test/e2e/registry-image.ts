/**
 * Images for tests of registries. Each process creates an image at most once and gives it a name that contains the
 * process id. A pushed image gets another name in addition. A container of the image only sleeps.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { docker } from './swarm.ts'

const nameOf = (what: string) => `berth-test-image-${process.pid}:${what}`
const images = new Map<string, Promise<string>>()

/**
 * An image of 3 MB with busybox from the image `registry:2`. Returns its name.
 * @param edition images of different editions have different layers
 */
export const smallImage = (edition = 1) =>
  createOnce(`small-${edition}`, async (folder) => {
    writeFileSync(join(folder, 'random'), randomBytes(64))
    const files = 'tar -chf /made/files.tar /made/random /usr/bin/busybox $(ldd /usr/bin/busybox | grep -o "/[^ ]*")'
    await docker('run', '--rm', '--network', 'none', '--volume', `${folder}:/made`, 'registry:2', 'sh', '-c', files)
  })

/** An image with one layer of this size that cannot be compressed. Returns its name. */
export const largeImage = (bytes: number) =>
  createOnce(`large-${bytes}`, async (folder) => {
    writeFileSync(join(folder, 'random'), randomBytes(bytes))
    await docker(
      'run',
      '--rm',
      '--network',
      'none',
      '--volume',
      `${folder}:/made`,
      'registry:2',
      'tar',
      '-cf',
      '/made/files.tar',
      '-C',
      '/made',
      'random',
    )
  })

/** Removes the images with all their names. */
export async function removeImages() {
  const names = await Promise.all(images.values())
  images.clear()
  if (names.length === 0) return
  const ids = await docker('image', 'inspect', '--format', '{{.Id}}', ...names)
  await docker('image', 'rm', '--force', ...new Set(ids))
}

/** Removes all names of this registry, also those by digest, and the images that have no other name. */
export async function forgetImages(host: string) {
  const rows = await docker(
    'image',
    'ls',
    '--digests',
    '--filter',
    `reference=${host}/*/*`,
    '--format',
    '{{.Repository}}:{{.Tag}} {{.Repository}}@{{.Digest}}',
  )
  const names = rows.flatMap((row) => row.split(' ')).filter((name) => !name.includes('<none>'))
  // --force: removing one name can remove others, too.
  if (names.length > 0) await docker('image', 'rm', '--force', ...new Set(names))
}

/** @param pack writes `files.tar` into the folder */
function createOnce(what: string, pack: (folder: string) => Promise<void>): Promise<string> {
  const image = images.get(what) ?? createImage(what, pack)
  images.set(what, image)
  return image
}

async function createImage(what: string, pack: (folder: string) => Promise<void>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-image-'))
  try {
    await pack(folder)
    await docker(
      'import',
      '--change',
      'ENTRYPOINT ["/usr/bin/busybox"]',
      '--change',
      'CMD ["sleep", "1000000"]',
      '--change',
      `ENV MADE="${what} ${process.pid} ${Date.now()}"`,
      join(folder, 'files.tar'),
      nameOf(what),
    )
    return nameOf(what)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
