/**
 * The certificate of Berth itself from the authority `installation`, for BERTH_PUBLIC_CERTIFICATE=internal. It is stored
 * sealed, and replaced in time by the loop of the proxy.
 */
import { X509Certificate } from 'node:crypto'
import type { Runtime } from '../runtime.ts'
import { deleteMeta, setMeta } from '../store/meta.ts'
import type { Reader } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import { currentOf, issueCertificate } from './issue.ts'
import { generationsOf } from './queries.ts'

export interface OwnCertificate {
  host: string
  /** The generation of the authority that signed it. */
  generation: number
  /** PEM: the certificate, then that of the authority, so that a client can show the person which one to trust. */
  chain: string
  /** PEM, PKCS #8. */
  key: string
  notBefore: Date
  notAfter: Date
}

type Dependencies = Pick<Runtime, 'db' | 'transact' | 'vault' | 'now'>

const metaKey = 'ownCertificate'
const cell = { table: 'meta', column: 'value', row: metaKey }
const validDays = 90

/** Returns the sealed certificate; null if there is none. */
export async function sealedOwnCertificate(db: Reader): Promise<string | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', metaKey).executeTakeFirst()
  return row?.value ?? null
}

export function openOwnCertificate(vault: Vault, sealed: string): OwnCertificate {
  const stored = JSON.parse(vault.open(cell, sealed)) as Pick<OwnCertificate, 'host' | 'generation' | 'chain' | 'key'>
  const { validFromDate, validToDate } = new X509Certificate(stored.chain)
  return { ...stored, notBefore: validFromDate, notAfter: validToDate }
}

export async function readOwnCertificate({ db, vault }: Pick<Dependencies, 'db' | 'vault'>) {
  const sealed = await sealedOwnCertificate(db)
  return sealed === null ? null : openOwnCertificate(vault, sealed)
}

/**
 * Issues and stores the certificate for a host, unless there is one that is not due. Does nothing otherwise.
 * @param host null: removes the certificate, because Berth uses none of the authority
 */
export async function ensureOwnCertificate(runtime: Dependencies, host: string | null): Promise<void> {
  const { db, transact, vault, now } = runtime
  const present = await readOwnCertificate(runtime)
  if (host === null) {
    if (present !== null) await transact((tx) => deleteMeta(tx, metaKey))
    return
  }
  const generations = await generationsOf(db, 'installation')
  const current = currentOf(generations)
  if (present !== null && !isDue(present, host, current.generation, now())) return
  const request = { commonName: 'Berth', use: 'server', dnsNames: [host], validDays } as const
  const issued = await issueCertificate(runtime, 'installation', request)
  const signer = generations.find(({ generation }) => generation === issued.generation) ?? current
  const stored = {
    host,
    generation: issued.generation,
    chain: issued.certificatePem + signer.certificatePem,
    key: issued.keyPem,
  }
  await transact((tx) => setMeta(tx, metaKey, vault.seal(cell, JSON.stringify(stored))))
}

/**
 * Whether a certificate has to be replaced: a third of its time is left, the host or the authority has changed, or it is
 * not valid yet, because it was issued while the clock was ahead. Certificates begin ten minutes before they are issued.
 */
export function isDue(
  { host, generation, notBefore, notAfter }: Omit<OwnCertificate, 'chain' | 'key'>,
  wantedHost: string,
  signing: number,
  now: Date,
): boolean {
  const renewFromMs = notAfter.getTime() - (notAfter.getTime() - notBefore.getTime()) / 3
  return host !== wantedHost || generation !== signing || now < notBefore || now.getTime() >= renewFromMs
}
