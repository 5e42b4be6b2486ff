/** The operations that give a dump out: as a file, or by a pre-signed URL of the storage. */
import { basename } from 'node:path'
import { z } from 'zod'
import { FileAnswer, fileOutput, inspect } from '../../api/contract.ts'
import { idOf } from '../../api/fields.ts'
import type { Config } from '../../config.ts'
import { digester, type Bytes } from '../../dumps/streams.ts'
import { refuse } from '../../errors.ts'
import { openBucket } from '../../lib/s3/s3.ts'
import type { Reader } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { refuseStorage } from '../destinations/probe.ts'
import { settingsOfDestination } from '../destinations/settings.ts'
import { type Decrypt, decryptFor } from '../runs/decrypt-object.ts'
import type { BackupRunTable } from '../table.ts'
import { checkSource } from './runs.ts'

const runId = idOf('run of a good dump')

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
    runId,
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
    const open = await bucketOf({ db, vault, config }, run)
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

/** A good dump whose object has not expired. */
type Dump = BackupRunTable & { key: string }

async function findDump(db: Reader, id: string): Promise<Dump> {
  const run =
    (await db
      .selectFrom('backupRun')
      .selectAll()
      .where('id', '=', id)
      .where('subjectKind', '=', 'database')
      .executeTakeFirst()) ?? refuse('NOT_FOUND', 'No run with this id. backup.runs lists the runs of a backup')
  checkSource(run)
  return run as Dump
}

interface Context {
  db: Reader
  vault: Vault
  config: Config
}

async function decryptOf(store: Pick<Context, 'db' | 'vault'>, recipient: string): Promise<Decrypt> {
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

type OpenBucket = (attempts?: number) => ReturnType<typeof openBucket>

async function bucketOf({ db, vault, config: { egress } }: Context, { destinationId }: Dump): Promise<OpenBucket> {
  const row = await db.selectFrom('destination').selectAll().where('id', '=', destinationId).executeTakeFirstOrThrow()
  const settings = settingsOfDestination(vault, row)
  return (attempts) => openBucket(settings, { egress, ...(attempts === undefined ? {} : { attempts }) })
}

/** Refuses unless the storage has an object of the right size. */
async function checkStored(open: OpenBucket, { key, sizeBytes }: Dump, signal: AbortSignal): Promise<void> {
  using bucket = open(1)
  const object = await bucket.head(key, signal).catch(refuseStorage)
  if (object === null) refuse('PRECONDITION_FAILED', `The bucket does not have the object ${key} any more`)
  if (object.sizeBytes !== sizeBytes) {
    refuse(
      'PRECONDITION_FAILED',
      `The object ${key} has ${object.sizeBytes} bytes, but the dump had ${sizeBytes}. It was replaced or damaged`,
    )
  }
}

/** Reads the object. Holds its last piece back until its checksum is known to be right. */
async function* checkedObject(open: OpenBucket, { key, sizeBytes, sha256 }: Dump, signal: AbortSignal): Bytes {
  using bucket = open()
  const digest = digester()
  let last: Buffer | null = null
  try {
    for await (const piece of bucket.get(key, signal)) {
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
