/** Writes the identity of backups where its keeper can take it, in the form of age-keygen, and notes that it was. */
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
 * `target` is a path, or - for standard output. Gives what the operator reads. The audit entry is committed before the
 * identity is written, and the time of the export after that: an export that failed does not count.
 */
export async function exportIdentity(config: Config, target: string): Promise<string> {
  if (target !== '-' && existsSync(target)) {
    throw new Error(`There is a file ${target} already, and it is not overwritten. Choose another name`)
  }
  const beside = await openStoreForCommand(config)
  try {
    const row = await notedIdentity(beside)
    const text = keyFile(row, openIdentity(beside.vault, row))
    if (target === '-') await pipeline(Readable.from([text]), process.stdout)
    else writeNew(resolve(target), text)
    await beside.transact((tx) => recordExport(tx, new Date()))
    return exportedText(row.recipient, target)
  } finally {
    await beside.close()
  }
}

/** Of two commands that come first at once, both give the identity of one. */
async function notedIdentity({ transact, vault }: CommandStore): Promise<BackupIdentityTable> {
  const made = await newIdentity()
  return transact(async (tx) => {
    const now = new Date()
    const row = await ensureIdentity(tx, vault, made, now)
    await appendMachineEntry(tx, vault, 'machine.exportBackupIdentity', null, now)
    return row
  })
}

/** The same at each export. */
const keyFile = ({ createdAt, recipient }: BackupIdentityTable, identity: string) =>
  [`# created: ${createdAt.replace(/\.\d+/, '')}`, `# public key: ${recipient}`, identity, ''].join('\n')

/** Refuses a file that is there. On the disk when it returns. */
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
    `The identity of backups is in ${target === '-' ? 'what was written to standard output' : resolve(target)}.`,
    'It opens every dump for the recipient installation, which stands for',
    '',
    `  ${recipient}`,
    '',
    'Keep it away from this machine and from the bucket. If it and the store (with its master key) are both lost, nobody',
    'can open those dumps. backup.create and backup.update take "recipient": "installation" from now on.',
  ].join('\n')
