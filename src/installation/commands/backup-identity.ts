/** The command that exports the age identity of backups in the format of age-keygen. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../../config.ts'
import { newIdentity } from '../../lib/crypto/encryption.ts'
import { appendMachineEntry } from '../../api/audit-log.ts'
import { ensureIdentity, openIdentity, recordExport } from '../../backups/identity.ts'
import type { BackupIdentityTable } from '../../backups/table.ts'
import { openStoreForCommand, type CommandStore } from './open-store.ts'
import { syncPath } from '../../store/sqlite/synced.ts'

/**
 * Exports the identity. The audit entry is committed before the identity is written. The time of the export is stored
 * after the identity is written. If the export fails, the stored time of the last export does not change.
 * @param target the path of a new file, or `-` for standard output
 * @returns the text for the operator
 */
export async function exportIdentity(config: Config, target: string): Promise<string> {
  if (target !== '-' && existsSync(target)) {
    throw new Error(`The file ${target} already exists, and this command overwrites no file. Choose another name`)
  }
  const store = await openStoreForCommand(config)
  try {
    const row = await auditedIdentity(store)
    const text = keyFile(row, openIdentity(store.vault, row))
    if (target === '-') await pipeline(Readable.from([text]), process.stdout)
    else writeNew(resolve(target), text)
    await store.transact((tx) => recordExport(tx, new Date()))
    return exportedText(row.recipient, target)
  } finally {
    await store.close()
  }
}

/**
 * Returns the identity, which the first export creates, and records the export in the audit log. Two simultaneous first
 * exports get the same identity.
 */
async function auditedIdentity({ transact, vault }: CommandStore): Promise<BackupIdentityTable> {
  const fresh = await newIdentity()
  return transact(async (tx) => {
    const now = new Date()
    const row = await ensureIdentity(tx, vault, fresh, now)
    await appendMachineEntry(tx, vault, 'machine.exportBackupIdentity', null, now)
    return row
  })
}

/** Returns the contents of the file. Every export writes the same contents. */
const keyFile = ({ createdAt, recipient }: BackupIdentityTable, identity: string) =>
  [`# created: ${createdAt.replace(/\.\d+/, '')}`, `# public key: ${recipient}`, identity, ''].join('\n')

/** Writes a new file and syncs it to the disk. Throws if the file exists. */
function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  syncPath(dirname(path))
}

const exportedText = (recipient: string, target: string) =>
  [
    `The identity of backups was written to ${target === '-' ? 'standard output' : resolve(target)}.`,
    'It decrypts every dump that has the recipient "installation". The public key of this recipient is',
    '',
    `  ${recipient}`,
    '',
    'Do not keep the identity on this machine or in the bucket. If the identity and the store (with its master key)',
    'are both lost, nobody can decrypt these dumps. backup.create and backup.update now accept',
    '"recipient": "installation".',
  ].join('\n')
