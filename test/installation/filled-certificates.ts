/** Fills a store with the authorities, and a port to an engine with its certificates, and checks the keys. */
import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { ensureAuthorities, issueCertificate } from '../../src/authority/issue.ts'
import { generationsOf, openKey } from '../../src/authority/queries.ts'
import { authorityNames } from '../../src/authority/table.ts'
import type { SealedStore } from '../../src/installation/sealed-store.ts'
import {
  insertAccess,
  openAccessKey,
  openEngineKey,
  putEngine,
  readAccess,
  readEngines,
} from '../../src/nodes/engines/queries.ts'

const at = new Date('2030-01-01T00:00:00.000Z')
const node = { nodeId: 'n', hostname: 'n', address: '192.0.2.20', port: 2376 }

export async function fillCertificates({ store, vault, installationId }: SealedStore): Promise<void> {
  const issuer = { ...store, vault, installationId, now: () => at }
  await ensureAuthorities(issuer)
  const issued = await issueCertificate(issuer, 'engines', { commonName: 'n', use: 'client', validDays: 1 })
  await store.transact(async (tx) => {
    await insertAccess(tx, vault, 'current', issued, at)
    await putEngine(tx, vault, node, issued, at)
  })
}

/** Checks that each key opens and belongs to its certificate. */
export async function checkCertificates({ store: { db }, vault }: SealedStore): Promise<void> {
  const generations = await Promise.all(authorityNames.map((name) => generationsOf(db, name)))
  const pairs = [
    ...generations.flat().map((row) => [row.certificatePem, openKey(vault, row)] as const),
    ...(await readAccess(db)).map((row) => [row.certificatePem, openAccessKey(vault, row)] as const),
    ...[...(await readEngines(db)).values()].map((row) => [row.certificatePem, openEngineKey(vault, row)] as const),
  ]
  assert.equal(pairs.length, 4)
  for (const [certificate, key] of pairs) {
    assert.ok(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
  }
}
