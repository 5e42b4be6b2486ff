/** The operation that answers a dump as a file. */
import { basename } from 'node:path'
import { z } from 'zod'
import { FileAnswer, fileOutput, inspect } from '../../api/contract.ts'
import { idOf } from '../../api/fields.ts'
import { type Bytes, digester } from '../../dumps/streams.ts'
import { refuse } from '../../errors.ts'
import type { Reader } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { refuseStorage } from '../destinations/probe.ts'
import { type Decrypt, decryptFor } from '../runs/decrypt-object.ts'
import { checkStored, type Dump, findDump, type OpenStorage, storageOf } from './stored-dump.ts'

export const download = inspect({
  name: 'backup.download',
  summary: 'Download a dump',
  description:
    'Answers the object of the dump as a file. Berth compares it with the checksum of the run while it sends the file, and ' +
    'breaks the connection before the end if they differ. A file that arrived completely is correct. The file as stored ' +
    'has the header Repr-Digest with its SHA-256 checksum. A decrypted file is still compressed with zstd. The read is ' +
    'recorded in the audit log, because a dump contains all data of the database.',
  access: 'user:admin',
  input: z.object({
    runId: idOf('run of a good dump'),
    form: z
      .enum(['stored', 'decrypted'])
      .default('stored')
      .describe('`decrypted`: an encrypted dump is decrypted. Berth must have its identity'),
  }),
  output: fileOutput,
  revealsSecret: () => true,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
  async run({ db, vault, config, signal }, { runId, form }) {
    const run = await findDump(db, runId)
    const decrypt =
      form === 'decrypted' && run.recipient !== null ? await decryptOf({ db, vault }, run.recipient) : null
    const open = await storageOf({ db, vault, config }, run)
    await checkStored(open, run, signal)
    const name = basename(run.key)
    const content = (whileOpen: AbortSignal) => checkedObject(open, run, whileOpen)
    if (decrypt === null) {
      return new FileAnswer({ name, sizeBytes: run.sizeBytes, sha256: run.sha256, open: content })
    }
    const decrypted = (whileOpen: AbortSignal) => decrypt(content(whileOpen))
    return new FileAnswer({ name: name.replace(/\.age$/, ''), sizeBytes: null, sha256: null, open: decrypted })
  },
})

async function decryptOf(store: { db: Reader; vault: Vault }, recipient: string): Promise<Decrypt> {
  const decrypt = await decryptFor(store, recipient)
  return (
    decrypt ??
    refuse(
      'PRECONDITION_FAILED',
      `This dump is encrypted for ${recipient}, and Berth does not have its identity. Download it as stored, and decrypt ` +
        'it with age -d -i IDENTITY-FILE',
    )
  )
}

/** Reads the object. Holds its last piece back until its checksum is known to be right. */
async function* checkedObject(open: OpenStorage, { key, sizeBytes, sha256 }: Dump, signal: AbortSignal): Bytes {
  using storage = open()
  const digest = digester()
  let last: Buffer | null = null
  try {
    for await (const piece of storage.get(key, signal)) {
      if (piece.length === 0) continue
      digest.tap(piece)
      if (last !== null) yield last
      last = piece
    }
  } catch (error) {
    refuseStorage(error)
  }
  const read = digest.result()
  if (read.sizeBytes !== sizeBytes || read.sha256 !== sha256) {
    refuse('BAD_GATEWAY', `The object ${key} has another checksum than the dump. It was replaced or damaged`)
  }
  if (last !== null) yield last
}
