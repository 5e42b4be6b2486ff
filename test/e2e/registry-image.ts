/**
 * Images that are pushed to registries: made once in each process, by names of its own; what is pushed is a further
 * name. They sleep.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { docker } from './swarm.ts'

const nameOf = (what: string) => `berth-test-image-${process.pid}:${what}`
const asked = new Map<string, Promise<string>>()

/**
 * A shell and a few programs of 3 MB, taken from the registry's own image. Each `edition` is an image of its own, with
 * a layer that no other has.
 */
export const smallImage = (edition = 1) =>
  once(`small-${edition}`, async (folder) => {
    writeFileSync(join(folder, 'random'), randomBytes(64))
    const files = 'tar -chf /made/files.tar /made/random /usr/bin/busybox $(ldd /usr/bin/busybox | grep -o "/[^ ]*")'
    await docker('run', '--rm', '--network', 'none', '--volume', `${folder}:/made`, 'registry:2', 'sh', '-c', files)
  })

/** One layer of so many bytes, which no compression makes less. */
export const largeImage = (bytes: number) =>
  once(`large-${bytes}`, async (folder) => {
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

/** All names of these images go, whoever gave them. To be called at the end. */
export async function removeImages() {
  const names = await Promise.all(asked.values())
  asked.clear()
  if (names.length === 0) return
  const ids = await docker('image', 'inspect', '--format', '{{.Id}}', ...names)
  await docker('image', 'rm', '--force', ...new Set(ids))
}

/** All names from this registry, those by digest too. An image that has no other goes with them. */
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
  // What went with another name is no fault.
  if (names.length > 0) await docker('image', 'rm', '--force', ...new Set(names))
}

/** `pack` puts `files.tar` into the folder. */
function once(what: string, pack: (folder: string) => Promise<void>): Promise<string> {
  const made = asked.get(what) ?? imported(what, pack)
  asked.set(what, made)
  return made
}

async function imported(what: string, pack: (folder: string) => Promise<void>): Promise<string> {
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
