/** berth backup download and berth backup url: give a dump out as a file, or by a URL of the storage. */
import { basename } from 'node:path'
import type { Client } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { findDatabase } from '../../databases.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { checkFree, receive, saveFile } from '../../save-file.ts'
import { numberOf } from '../../names.ts'
import { readableSize, readableTime } from '../../terminal/size.ts'
import { findDump } from './dumps.ts'

const dumpArgument = [
  '<dump>',
  'the id of a run (berth backup ls DATABASE), or a database: its last good dump',
] as const

export const downloadCommand: CommandDeclaration = {
  name: 'download',
  description: 'download a dump, and compare its size and checksum',
  arguments: [
    dumpArgument,
    ['[file]', 'the new file, or - for standard output; by default the name in the bucket, in the present folder'],
  ],
  options: [
    ['--decrypted', 'decrypt an encrypted dump; Berth must have its identity'],
    ['--force', 'replace an existing file'],
  ],
  notes: ['The file is compressed: zstd -d unpacks it. A dump contains all data of the database.'],
  examples: ['berth backup download shop/orders', 'berth backup download shop/orders orders.dump.zst --decrypted'],
  run: download,
}

export const urlCommand: CommandDeclaration = {
  name: 'url',
  description: 'print a URL by which anyone can download a dump from the storage, for a limited time',
  arguments: [dumpArgument],
  options: [['--seconds <number>', 'for how long the URL is valid, from 60 to 3600 (900)']],
  examples: ['berth backup url shop/orders', 'curl -o orders.dump.zst "$(berth backup url shop/orders)"'],
  run: makeUrl,
}

interface Options extends CommonOptions {
  decrypted?: boolean
  force?: boolean
}

async function download(session: Session, options: Options, dump: string, path?: string): Promise<Outcome | undefined> {
  const { output, interrupted } = session
  const isReplacing = options.force === true
  if (path !== undefined && path !== '-') checkFree(path, isReplacing)
  const client = session.open(options)
  const runId = await runIdOf(client, dump)
  const form = options.decrypted === true ? 'decrypted' : 'stored'
  const file = await client.backup.download({ runId, form }, { signal: interrupted })
  if (path === '-') {
    await receive(file, output.bytes, output.progress())
    return undefined
  }
  const target = path ?? basename(file.name)
  const received = await saveFile(file, target, isReplacing, output.progress())
  return {
    json: { runId, form, file: target, ...received },
    show: () => output.line(`Saved ${target}: ${readableSize(received.sizeBytes)}, SHA-256 ${received.sha256}`),
  }
}

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The run that the argument names. */
async function runIdOf(client: Client, dump: string): Promise<string> {
  if (idPattern.test(dump)) return dump
  return (await findDump(client, await findDatabase(client, dump), undefined)).runId
}

async function makeUrl(
  { open, output }: Session,
  options: CommonOptions & { seconds?: string },
  dump: string,
): Promise<Outcome> {
  const seconds = options.seconds === undefined ? {} : { seconds: numberOf('--seconds', options.seconds) }
  const client = open(options)
  const answer = await client.backup.url({ runId: await runIdOf(client, dump), ...seconds })
  return {
    json: answer,
    show() {
      output.line(answer.url)
      const encrypted = answer.encrypted ? ' The file is encrypted with age.' : ''
      output.remark(`Valid until ${answer.expiresAt} (${readableTime(answer.expiresAt)}).${encrypted}`)
    },
  }
}
