/** Fills a store with the authorities, and checks their keys. */
import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { ensureAuthorities } from '../../src/authority/issue.ts'
import { generationsOf, openKey } from '../../src/authority/queries.ts'
import { authorityNames } from '../../src/authority/table.ts'
import type { SealedStore } from '../../src/installation/sealed-store.ts'

const at = new Date('2030-01-01T00:00:00.000Z')

export async function fillCertificates({ store, vault, installationId }: SealedStore): Promise<void> {
  await ensureAuthorities({ ...store, vault, installationId, now: () => at })
}

/** Checks that each key opens and belongs to its certificate. */
export async function checkCertificates({ store: { db }, vault }: SealedStore): Promise<void> {
  const generations = (await Promise.all(authorityNames.map((name) => generationsOf(db, name)))).flat()
  assert.equal(generations.length, 2)
  for (const row of generations) {
    assert.ok(new X509Certificate(row.certificatePem).checkPrivateKey(createPrivateKey(openKey(vault, row))))
  }
}
