/** The backup of Redis and Valkey: a snapshot (RDB file) of the whole server, through the protocol of replication. */
import { textFile } from '../../lib/text-file.ts'
import { compareVersions } from '../../lib/text/version.ts'
import {
  type ArchiveContents,
  type ArchiveServer,
  type Backup,
  type Program,
  secretFile,
  secretPath,
  type ServerDatabase,
  type ServerInventory,
  type Target,
  wholeServer,
} from '../backup.ts'
import type { Address, ServerLogin } from '../kind.ts'
import { redisReader } from './archive.ts'

interface Settings extends Record<string, unknown> {
  databasePassword: string
}
type Login = ServerLogin<Settings>

/** The user with which a server gets the data of a restore. It exists only in the container of the restore. */
const user = 'berth-restore'
const port = '6379'
/** Longer than any run of a backup. */
const pauseMs = String(30 * 24 * 3600_000)

const release = textFile('kinds/redis/programs/release.sh', { user })
const dumpScript = textFile('kinds/redis/programs/dump.sh', { secretPath })
const loadScript = textFile('kinds/redis/programs/load.sh', { secretPath, user, port, pauseMs, release })
const endLoadScript = textFile('kinds/redis/programs/end-load.sh', { secretPath, release })
const markScript = textFile('kinds/redis/programs/mark.sh', { secretPath })
const listScript = textFile('kinds/redis/programs/list.sh', { secretPath })

const program = (
  script: string,
  { settings: { databasePassword } }: Login,
  { host, port }: Address,
  isTemporary = false,
): Program => ({
  argv: ['sh', '-c', script],
  env: { BERTH_HOST: host, BERTH_PORT: String(port), BERTH_TEMPORARY: isTemporary ? 'yes' : '' },
  files: secretFile(databasePassword),
})

/** The key that a restore brings along with its data. It exists only until Berth knows the outcome of the restore. */
const markOf = (runId: string) => `berth:restore:${runId}`

const withMark = ({ argv, env, ...rest }: Program, runId: string | undefined, ...command: string[]): Program => ({
  ...rest,
  argv: command.length === 0 ? argv : [...argv, 'berth', ...command],
  env: { ...env, BERTH_MARK: runId === undefined ? '' : markOf(runId) },
})

/** Runs the script in bash if the image has it, because only bash opens connections itself. */
function dump(login: Login, target: ServerDatabase): Program {
  const { argv, ...rest } = program(dumpScript, login, target)
  const [shell, option, script] = argv
  return { ...rest, argv: [shell!, option!, 'exec "$(command -v bash || command -v sh)" -c "$1"', 'berth', script!] }
}

/** A server has databases with numbers. The tables of an archive are named after them. */
function scratchServerArgs({ tables }: ArchiveContents): string[] {
  const numbers = Object.keys(tables).map((name) => Number(name.split(' ', 1)[0]))
  return ['--databases', String(Math.max(15, ...numbers) + 1)]
}

/**
 * The forms of snapshots: each product reads its own older ones. Redis 7.2 and Valkey until 8 share a form. Redis has
 * forms of its own since 7.4, and Valkey since 9.
 */
function loads(from: ArchiveServer, to: { product: string; version: string | null }): boolean {
  if (to.version === null) return true
  if (from.product === to.product) return compareVersions(to.version, minor(from.version)) >= 0
  if (from.product === 'Redis') return compareVersions(minor(from.version), '7.2') <= 0
  return compareVersions(from.version, '9') < 0 && compareVersions(to.version, '7.2') >= 0
}

const minor = (version: string) => version.split('.', 2).join('.')

/** The users of a server are in Berth's configuration. Others are listed, so that they are not lost unnoticed. */
const serverInventory: ServerInventory<Settings> = {
  dumped: ['database'],
  list: (login, address) => program(listScript, login, address),
}

export const redisBackup: Backup<Settings> = {
  extension: 'rdb',
  promise:
    'All databases of the server as of one moment: keys of all types with the times at which they expire, and ' +
    'functions. Not included: users (ACL), scripts that were loaded with SCRIPT LOAD, and settings of the server.',
  temporaryServerArgs: ['--repl-diskless-sync-delay', '0'],
  scratchServerArgs,
  atomicRestore: {
    identify: (login, place, runId) => withMark(program(markScript, login, place), runId, 'EXISTS'),
    end: (login, place) => program(endLoadScript, login, place),
    clear: (login, place, runId) => withMark(program(markScript, login, place), runId, 'DEL'),
  },
  database: wholeServer,
  dump,
  restore: (login, target: Target) => withMark(program(loadScript, login, target, target.isTemporary), target.runId),
  loads,
  reader: redisReader,
  serverInventory,
}
