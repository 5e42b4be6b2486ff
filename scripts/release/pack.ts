/** Packs the folder of a release into an archive. The same files and the same time always give the same bytes. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, globSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const sumsName = 'SHA256SUMS'

/**
 * Writes the checksums into the folder, and beside the folder the archive and its checksum.
 * @param folder its name is the name of the archive without `.tar.gz`
 * @param seconds the modification time of all files in the archive, in seconds since 1970
 * @returns the path of the archive
 */
export async function pack(folder: string, seconds: number): Promise<string> {
  rmSync(join(folder, sumsName), { force: true })
  writeFileSync(join(folder, sumsName), await checksums(folder, filesIn(folder)))
  const archive = `${folder}.tar.gz`
  const [tar, gzip] = [`${folder}.tar`, `${folder}.tar.gz`]
  for (const path of [tar, gzip]) rmSync(path, { force: true })
  // The modes of files depend on the umask of the build.
  const modes = '--mode=u=rwX,go=rX'
  const reproducible = ['--sort=name', modes, `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner']
  execFileSync('tar', [
    '--create',
    `--file=${tar}`,
    '--format=ustar',
    ...reproducible,
    '-C',
    dirname(folder),
    basename(folder),
  ])
  execFileSync('gzip', ['-n', tar])
  const sum = await checksums(dirname(archive), [basename(archive)])
  writeFileSync(`${archive}.sha256.new`, sum)
  // Last, so that an interrupted build leaves no archive that can be installed.
  renameSync(`${archive}.sha256.new`, `${archive}.sha256`)
  return archive
}

const filesIn = (folder: string) =>
  globSync('**', { cwd: folder })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()

/** Lines in the format of sha256sum. */
async function checksums(folder: string, paths: readonly string[]): Promise<string> {
  const lines = []
  for (const path of paths) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, path)), hash)
    lines.push(`${hash.digest('hex')}  ${path}\n`)
  }
  return lines.join('')
}
