/** MongoDB's backup: mongodump's archive of one database, with its users and roles. */
import { textFile } from '../../lib/text-file.ts'
import { type Backup, type Beside, type Place, type Program, secretFile, secretPath, type Target } from '../backup.ts'
import { mongoReader } from './archive.ts'
import { dropProgram, type Login, listProgram } from './programs.ts'

/** The password as tools from 100 on take it, and the values of the shell's program. */
const loginPath = '/etc/berth/login.yaml'
const valuesPath = '/etc/berth/values'

const dumpScript = textFile('kinds/mongo/programs/dump.sh', { secretPath, loginPath })
const restoreScript = textFile('kinds/mongo/programs/restore.sh', { secretPath, loginPath, valuesPath })

const envOf = ({ databaseUser }: Login, { host, port, database }: Place): Record<string, string> => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  BERTH_USER: databaseUser,
  BERTH_DATABASE: database,
})

/** JSON is YAML too. */
const filesOf = ({ databasePassword }: Login) => [
  ...secretFile(databasePassword),
  { path: loginPath, content: `password: ${JSON.stringify(databasePassword)}\n`, mode: 0o600 },
]

function dump(it: Login, place: Place): Program {
  return { argv: ['sh', '-c', dumpScript], env: envOf(it, place), files: filesOf(it) }
}

function restore(it: Login, { host, port, database }: Target): Program {
  const { argv, stdin = '' } = dropProgram(it, { host, port }, database)
  return {
    argv: ['sh', '-c', restoreScript, 'berth', ...argv],
    env: envOf(it, { host, port, database }),
    files: [...filesOf(it), { path: valuesPath, content: stdin, mode: 0o600 }],
  }
}

const listScript = `exec "$@" <${valuesPath}`

/** Users of the server's own database are told apart, and none of them can be made again. */
const beside: Beside<Login & Record<string, unknown>> = {
  dumped: ['database', 'users', 'roles'],
  list(it, address) {
    const { argv, stdin = '' } = listProgram(it, address)
    return {
      argv: ['sh', '-c', listScript, 'berth', ...argv],
      env: {},
      files: [{ path: valuesPath, content: stdin, mode: 0o600 }],
    }
  },
}

export const mongoBackup: Backup<Login & Record<string, unknown>> = {
  extension: 'archive',
  emptyIsMissing: true,
  promise:
    'All collections of the database with their indexes and options, views, and the users and roles of the ' +
    'database with their passwords. MongoDB gives no snapshot of one database: documents are as they were when each ' +
    'was read, so that what was written during the dump may be in it or not, and of changes to several documents ' +
    "some. Users of the database admin, as Berth's own, are not in it.",
  restores:
    'The database is dropped before the archive is read: who uses it meanwhile sees a part of it, and a ' +
    'failure leaves it so. Sessions are not ended. Users and roles of the database become those of the archive.',
  still: ['--setParameter', 'ttlMonitorEnabled=false'],
  dump,
  restore,
  reader: mongoReader,
  beside,
}
