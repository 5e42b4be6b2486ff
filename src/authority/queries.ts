/** The statements on the table of authorities. Only this file seals and opens their keys. */
import type { Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import { rotationStep } from './rotation.ts'
import type { AuthorityName, AuthorityTable, GenerationState } from './table.ts'
import type { CertificatePair } from './x509.ts'

/** Returns the generations of an authority, oldest first. */
export function generationsOf(db: Reader, name: AuthorityName): Promise<AuthorityTable[]> {
  return db.selectFrom('authority').selectAll().where('name', '=', name).orderBy('generation').execute()
}

const keyCell = (name: AuthorityName, generation: number) => ({
  table: 'authority',
  column: 'key',
  row: JSON.stringify([name, generation]),
})

/** @throws if the generation has no key, because it is retiring */
export function openKey(vault: Vault, { name, generation, key }: AuthorityTable): string {
  if (key === null) throw new Error(`Generation ${generation} of the authority ${name} is retiring and has no key`)
  return vault.open(keyCell(name, generation), key)
}

/**
 * Stores a new generation. Does nothing if a generation with this number exists.
 * @param state `current` for the first generation of an authority
 */
export async function insertGeneration(
  tx: Writer,
  vault: Vault,
  { name, generation, state }: Pick<AuthorityTable, 'name' | 'generation' | 'state'>,
  { certificatePem, keyPem, notAfter }: CertificatePair,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('authority')
    .values({
      name,
      generation,
      state,
      certificatePem,
      key: vault.seal(keyCell(name, generation), keyPem),
      createdAt: now.toISOString(),
      notAfter: notAfter.toISOString(),
    })
    .onConflict((conflict) => conflict.columns(['name', 'generation']).doNothing())
    .execute()
}

/**
 * Makes the next generation sign, from the step `distributing`. The generation that signed before keeps no key. Does
 * nothing in other steps. Call this when all that verify certificates of the authority trust the next generation.
 */
export async function switchSigning(tx: Writer, name: AuthorityName): Promise<void> {
  if (rotationStep(await generationsOf(tx, name)) !== 'distributing') return
  const update = (from: GenerationState, set: Partial<AuthorityTable>) =>
    tx.updateTable('authority').set(set).where('name', '=', name).where('state', '=', from).execute()
  await update('current', { state: 'retiring', key: null })
  await update('next', { state: 'current' })
}

/**
 * Ends the trust in the retiring generation, and so the rotation. Does nothing in other steps than `replacing`. Call
 * this when no certificate of the retiring generation is in use.
 */
export async function removeRetiring(tx: Writer, name: AuthorityName): Promise<void> {
  await tx.deleteFrom('authority').where('name', '=', name).where('state', '=', 'retiring').execute()
}

/** Whether a table of the generations still has this one alone: no rotation began or ended since it was read. */
export const isUnchanged = (generations: readonly AuthorityTable[], { generation }: AuthorityTable): boolean =>
  generations.length === 1 && generations[0]!.generation === generation
