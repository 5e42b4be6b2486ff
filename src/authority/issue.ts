/** What other features use of the authorities: certificates that an authority signs, and the certificates to trust. */
import { X509Certificate } from 'node:crypto'
import type { Runtime } from '../runtime.ts'
import type { Reader } from '../store/schema.ts'
import { generationsOf, insertGeneration, openKey } from './queries.ts'
import { type AuthorityName, type AuthorityTable, authorityNames } from './table.ts'
import { type CertificateRequest, createAuthority, type IssuedCertificate, signCertificate } from './x509.ts'

/**
 * Creates the authorities that the installation does not have yet. Each start of Berth calls this.
 * @param create creates the key and the certificate
 */
export async function ensureAuthorities(
  { db, transact, vault, now, installationId }: Pick<Runtime, 'db' | 'transact' | 'vault' | 'now' | 'installationId'>,
  create: NewGeneration = newGeneration,
): Promise<void> {
  for (const name of authorityNames) {
    if ((await generationsOf(db, name)).length > 0) continue
    const created = await create(name, 1, `Berth installation ${installationId}`, now())
    await transact((tx) => insertGeneration(tx, vault, { name, generation: 1, state: 'current' }, created, now()))
  }
}

/**
 * Creates the key and the certificate of a generation.
 * @param organization names the installation, for clients that trust several
 */
export const newGeneration = (name: AuthorityName, generation: number, organization: string, now: Date) =>
  createAuthority(`Berth ${name} authority ${generation}`, organization, now)

export type NewGeneration = typeof newGeneration

/** Returns the organization in the certificate of a generation. */
export const organizationOf = ({ certificatePem }: Pick<AuthorityTable, 'certificatePem'>): string =>
  String(new X509Certificate(certificatePem).toLegacyObject().subject.O)

/**
 * Issues a certificate with a new key, signed by the current generation of an authority. Stores nothing.
 * @returns the certificate, and the generation that signed it
 */
export async function issueCertificate(
  { db, vault, now }: Pick<Runtime, 'db' | 'vault' | 'now'>,
  name: AuthorityName,
  request: CertificateRequest,
): Promise<IssuedCertificate & { generation: number }> {
  const current = currentOf(await generationsOf(db, name))
  const authority = { certificatePem: current.certificatePem, keyPem: openKey(vault, current) }
  return { ...(await signCertificate(authority, request, now())), generation: current.generation }
}

/** Returns the certificates to trust as PEM: the current generation and, during a rotation, the other one. */
export async function trustBundle(db: Reader, name: AuthorityName): Promise<string> {
  return bundleOf(await generationsOf(db, name))
}

export const bundleOf = (generations: readonly AuthorityTable[]): string =>
  generations.map(({ certificatePem }) => certificatePem).join('')

/** Returns the generation that signs. */
export function currentOf(generations: readonly AuthorityTable[]): AuthorityTable {
  const current = generations.find(({ state }) => state === 'current')
  if (current === undefined) throw new Error('The authority has no current generation. Each start of Berth creates it')
  return current
}
