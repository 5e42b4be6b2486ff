/** The folder of an unpacked release: its version and its checksums. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'

export interface Release {
  folder: string
  version: string
}

const sumsName = 'SHA256SUMS'
const versionPattern = /^\d+\.\d+\.\d+$/

/** @throws an error with a message for the operator if the folder has no release for this machine */
export function readRelease(folder: string): Release {
  if (!existsSync(join(folder, sumsName))) throw new Error(`${folder} contains no release of Berth`)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<'os' | 'cpu', string[]> & {
    version: string
  }
  const { version, os, cpu } = manifest
  if (!versionPattern.test(version)) throw new Error(`${folder} contains no release: its version is '${version}'`)
  if (!os.includes(process.platform) || !cpu.includes(process.arch)) {
    const here = `${process.platform}-${process.arch}`
    throw new Error(`The release is for ${os.join()}-${cpu.join()}, and this machine is ${here}`)
  }
  return { folder, version }
}

/** Whether a name is that of a version's folder. */
export const isVersion = (name: string): boolean => versionPattern.test(name)

/**
 * Compares all files with the checksums of the release.
 * @throws an error that names a file that differs, is missing or has no checksum
 */
export async function verifyFiles(folder: string): Promise<void> {
  const sums = parseSums(readFileSync(join(folder, sumsName), 'utf8'))
  for (const path of filesIn(folder)) {
    const expected = sums.get(path)
    if (expected === undefined) throw new Error(`The release is damaged: ${path} has no checksum`)
    if ((await sha256Of(join(folder, path))) !== expected) throw new Error(`The release is damaged: ${path} differs`)
    sums.delete(path)
  }
  const [missing] = sums.keys()
  if (missing !== undefined) throw new Error(`The release is damaged: ${missing} is missing`)
}

/** The paths of all files and links, except the checksums themselves. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => path !== sumsName)

/** Parses lines of sha256sum. @returns the checksum for each path */
export function parseSums(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [, sum, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
      if (sum === undefined || path === undefined) throw new Error(`'${line}' is no line of sha256sum`)
      return [path, sum]
    }),
  )
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
