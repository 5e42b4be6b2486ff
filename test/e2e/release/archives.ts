/** Builds releases for tests. They contain a short script in place of Node, so that they are small. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pack } from '../../../scripts/release/pack.ts'

const main = fileURLToPath(new URL('../../../scripts/release/main.ts', import.meta.url))
const buildSeconds = 1_700_000_000

/** @returns the path of the archive */
export function buildRelease(folder: string, version: string): string {
  const node = join(folder, 'node')
  writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  const args = ['--disable-warning=ExperimentalWarning', main, '--output', folder, '--version', version, '--node', node]
  execFileSync(process.execPath, args, {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(buildSeconds) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return join(folder, `berth-${version}-linux-x64.tar.gz`)
}

/** Unpacks an archive into a folder. @returns the folder of the release */
export function unpack(archive: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['--extract', '--gzip', `--file=${archive}`, `--directory=${folder}`])
  return join(folder, basename(archive, '.tar.gz'))
}

/**
 * Makes a release from another one.
 * @param folder a new folder
 * @param change changes the files of the release. The checksums are made afterwards
 * @returns the path of the archive
 */
export async function changedRelease(
  archive: string,
  folder: string,
  version: string,
  change: (release: string) => void,
): Promise<string> {
  const release = unpack(archive, folder)
  const manifestPath = join(release, 'package.json')
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as object
  writeFileSync(manifestPath, JSON.stringify({ ...manifest, version }))
  change(release)
  return pack(release, buildSeconds)
}

/** Packs a folder as it is, with the right checksum beside the archive. */
export function packUnchecked(release: string): string {
  const archive = `${release}.tar.gz`
  execFileSync('tar', ['--create', '--gzip', `--file=${archive}`, '-C', dirname(release), basename(release)])
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex')
  writeFileSync(`${archive}.sha256`, `${sum}  ${basename(archive)}\n`)
  return archive
}
