/**
 * Copies the root certificates of the ACME directory (BERTH_ACME_ROOTS) into the proxy's folder. A proxy that runs as a
 * service can read no other folder.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { hash } from '../engine/spec.ts'
import { ProxyUnavailable } from './caddy/admin.ts'

export interface AcmeRoots {
  /** The path in the proxy's folder. */
  path: string
  /** PEM. */
  content: string
}

/**
 * Returns the root certificates, or null if BERTH_ACME_ROOTS is not set. The path contains a hash of the content. New
 * root certificates therefore change the configuration of the proxy, so the proxy loads them.
 * @throws ProxyUnavailable if the file cannot be read
 */
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

/**
 * Writes the root certificates into the proxy's folder. Writes the file atomically, so an existing file is always
 * complete. Does nothing if the file exists or `roots` is null.
 */
export function writeAcmeRoots(roots: AcmeRoots | null): void {
  if (roots === null || existsSync(roots.path)) return
  writeFileSync(`${roots.path}.new`, roots.content, { mode: 0o600 })
  renameSync(`${roots.path}.new`, roots.path)
}
