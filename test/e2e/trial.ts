/** Dumps a database with a sample, restores it into a temporary server, in place and into a new server, and compares. */
import { execFile } from 'node:child_process'
import { type ArchiveContents, type Backup, differences, type Program, secretPath } from '../../src/kinds/backup.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { shell, type Server } from './container.ts'
import { dockerHost } from './swarm.ts'
import type { Result } from './sample.ts'

/** Servers of one product, with the password `secret`. The programs run in the container of `origin`. */
export interface Laboratory {
  backup: Backup
  /** The login of Berth's programs. */
  login: Parameters<Backup['dump']>[0]
  version: string
  origin: Server
  targets: Record<'drill' | 'in place' | 'new', Server>
  /** The number of rows of each table, also of those that a dump need not contain. */
  countRows(server: Server, database: string): Promise<Record<string, unknown>>
}

/** A step that the server or a tool refused. */
class Refused extends Error {
  readonly result: Result
  constructor(result: Result, text: string) {
    super(text)
    this.result = result
  }
}

export async function prepareOrigin({ id }: Server): Promise<void> {
  await shell(id, `mkdir -p /etc/berth && printf secret >${secretPath} && echo '[]' >/etc/berth/settings`)
}

/** @returns the result, and the text of a refusal */
export async function resultOf(laboratory: Laboratory, database: string): Promise<{ result: Result; text: string }> {
  const { origin, targets, backup, login, version, countRows } = laboratory
  try {
    const archive = await dumpOf(laboratory, origin, database)
    const expected = await contentsOf(laboratory, archive)
    const rows = await countRows(origin, database)
    const lost = new Map<string, string>()
    for (const [place, target] of Object.entries(targets)) {
      const isTemporary = place === 'drill'
      const into = { ...target.address, database, roles: expected.roles ?? [], isTemporary }
      await inside(origin, backup.restore(login, into, version), 'restore refused', archive)
      const restored = await contentsOf(laboratory, await dumpOf(laboratory, target, database))
      await compareData(`${database} restored (${place})`, async () => {
        const unequal = differences(expected, restored)
        if (unequal.length > 0) throw new Error(unequal.join('. '))
      })
      const present = await countRows(target, database)
      for (const [table, count] of Object.entries(rows)) {
        if (present[table] !== count) lost.set(table, `${table}: ${present[table]} of ${count} rows (${place})`)
      }
    }
    if (expected.findings?.some(({ reason }) => reason === 'RowsElsewhere'))
      return { result: 'rows elsewhere', text: '' }
    if (lost.size > 0) return { result: 'rows not in the dump', text: [...lost.values()].join('. ') }
    return { result: 'works', text: '' }
  } catch (error) {
    if (error instanceof Refused) return { result: error.result, text: error.message }
    throw error
  }
}

/** Runs a program in the container of a server, which is faster than a container for each program. */
async function inside({ id }: Server, { argv, env }: Program, refused: Result, input?: Buffer): Promise<Buffer> {
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  return new Promise((resolve, reject) => {
    const program = execFile(
      'docker',
      ['--host', dockerHost, 'exec', '--interactive', ...variables, id, ...argv],
      { encoding: 'buffer', maxBuffer: 1024 ** 3 },
      (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Refused(refused, stderr.toString()))),
    )
    program.stdin!.on('error', () => undefined).end(input)
  })
}

const dumpOf = ({ origin, backup, login, version }: Laboratory, { address }: Server, database: string) =>
  inside(origin, backup.dump(login, { ...address, database }, version), 'dump refused')

async function contentsOf({ origin, backup, version }: Laboratory, archive: Buffer): Promise<ArchiveContents> {
  const reader = backup.reader()
  const unpack = backup.unpack?.(version)
  reader.write(unpack === undefined ? archive : await inside(origin, unpack, 'dump refused', archive))
  return reader.end()
}
