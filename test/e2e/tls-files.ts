/** The files of a server's certificate in a folder, as Berth writes them, and the authority that signed it. */
import { chmodSync, chownSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createAuthority, signCertificate } from '../../src/authority/x509.ts'
import { tlsPaths } from '../../src/kinds/kind.ts'
import { docker } from './swarm.ts'

export type TlsFiles = Awaited<ReturnType<typeof tlsFilesFor>>

export const newAuthority = () => createAuthority('Berth', 'Berth test', new Date())

/**
 * Creates a folder on this machine with a certificate for `names`, which a server in a container of `image` can read.
 * @param user the users of `KindTls.user`
 */
export async function tlsFilesFor(image: string, user: string, names: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  chmodSync(folder, 0o755)
  const script = 'for user; do id -u "$user" 2>/dev/null && exit; done'
  const [uid] = await docker('run', '--rm', '--entrypoint', 'sh', image, '-c', script, 'sh', ...user.split(' '))
  const ca = await newAuthority()
  const contents = new Map<keyof typeof tlsPaths, string>()

  /** Replaces the certificate, and returns the SHA-256 fingerprint of the new one. */
  async function issue(dnsNames: string[] = names): Promise<string> {
    const request = { commonName: 'test', use: 'server', dnsNames, validDays: 90 } as const
    const { certificatePem, keyPem, fingerprint } = await signCertificate(ca, request, new Date())
    contents.set('ca', ca.certificatePem).set('certificate', certificatePem)
    contents.set('key', keyPem).set('combined', certificatePem + keyPem)
    restore()
    return fingerprint
  }

  /** Takes back what `write` changed. */
  function restore(): void {
    for (const [name, content] of contents) write(name, content)
  }

  function write(name: keyof typeof tlsPaths, content: string) {
    const path = join(folder, basename(tlsPaths[name]))
    const isSecret = name === 'key' || name === 'combined'
    writeFileSync(`${path}.new`, content, { mode: isSecret ? 0o600 : 0o644 })
    if (isSecret) chownSync(`${path}.new`, Number(uid), Number(uid))
    renameSync(`${path}.new`, path)
  }

  return {
    folder,
    ca: ca.certificatePem,
    fingerprint: await issue(),
    issue,
    write,
    restore,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
