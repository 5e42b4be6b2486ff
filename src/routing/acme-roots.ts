/** The roots by which an ACME directory is known, where the proxy can read them: it may see its own folder alone. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { hash } from '../engine/spec.ts'
import { ProxyUnavailable } from './caddy/admin.ts'

export interface AcmeRoots {
  path: string
  content: string
}

/** Null where none are set. Other roots have another path, so that the proxy is told of them. */
export function acmeRootsIn(folder: string, { acme: { rootsFile } }: Pick<Config, 'acme'>): AcmeRoots | null {
  if (rootsFile === null) return null
  const content = read(rootsFile)
  return { path: join(folder, `acme-roots-${hash(content)}.pem`), content }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ProxyUnavailable(`BERTH_ACME_ROOTS cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** Written whole or not at all: the proxy may be reading it. */
export function placeAcmeRoots(roots: AcmeRoots | null): void {
  if (roots === null || existsSync(roots.path)) return
  writeFileSync(`${roots.path}.new`, roots.content, { mode: 0o600 })
  renameSync(`${roots.path}.new`, roots.path)
}
