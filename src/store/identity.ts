/** What makes this store one installation: its id, and the proof that the master key is the one it was sealed with. */
import type { Store } from './open-sqlite.ts'
import type { Vault } from './vault.ts'

const proofPlace = { table: 'meta', column: 'value', row: 'masterKeyProof' }

/** Gives the installation's id, made at the first start. Throws where the master key is not this store's. */
export async function identify(
  { db, transact }: Pick<Store, 'db' | 'transact'>, vault: Vault, newId: () => string,
): Promise<string> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  const valueOf = (key: string) => rows.find((row) => row.key === key)?.value
  const known = valueOf('installationId')
  const proof = valueOf('masterKeyProof')
  if (known !== undefined && proof !== undefined) {
    checkKey(vault, proof)
    return known
  }
  const id = newId()
  await transact((tx) => tx.insertInto('meta').values([
    { key: 'installationId', value: id },
    { key: 'masterKeyProof', value: vault.seal(proofPlace, 'berth') },
  ]).execute())
  return id
}

function checkKey(vault: Vault, proof: string) {
  try {
    vault.open(proofPlace, proof)
  } catch (cause) {
    throw new Error('The master key is not the one that this store was made with. '
      + 'Put the right key back in <data>/master.key or BERTH_MASTER_KEY', { cause })
  }
}
