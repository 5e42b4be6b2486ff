/** The backup of MongoDB: the archive of mongodump with one database and the users and roles of the database. */
import { textFile } from '../../lib/text-file.ts'
import {
  type Backup,
  type ServerInventory,
  type ServerDatabase,
  type Program,
  secretFile,
  secretPath,
  type Target,
} from '../backup.ts'
import { mongoReader } from './archive.ts'
import { dropProgram, type Login, listProgram, type Settings, userOf } from './programs.ts'

/** The configuration file with the password, which the MongoDB tools accept since version 100. */
const loginPath = '/etc/berth/login.yaml'
/** The input of a program that the MongoDB shell runs. */
const valuesPath = '/etc/berth/values'

const dumpScript = textFile('kinds/mongo/programs/dump.sh', { secretPath, loginPath })
const restoreScript = textFile('kinds/mongo/programs/restore.sh', { secretPath, loginPath, valuesPath })

const envOf = (login: Login, { host, port, database }: ServerDatabase): Record<string, string> => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  BERTH_USER: userOf(login).user,
  BERTH_DATABASE: database,
})

/** Returns the files with the password. The configuration file is YAML, in which a JSON string is valid. */
function filesOf(login: Login) {
  const { password } = userOf(login)
  const config = `password: ${JSON.stringify(password)}\n`
  return [...secretFile(password), { path: loginPath, content: config, mode: 0o600 }]
}

function dump(login: Login, target: ServerDatabase): Program {
  return { argv: ['sh', '-c', dumpScript], env: envOf(login, target), files: filesOf(login) }
}

function restore(login: Login, { host, port, database }: Target): Program {
  const { argv, stdin = '' } = dropProgram(login, { host, port }, database)
  return {
    argv: ['sh', '-c', restoreScript, 'berth', ...argv],
    env: envOf(login, { host, port, database }),
    files: [...filesOf(login), { path: valuesPath, content: stdin, mode: 0o600 }],
  }
}

const listScript = `exec "$@" <${valuesPath}`

/**
 * The inventory lists users and roles of the database `admin` as separate types. A dump of the database `admin` has all
 * users and roles of the server.
 */
const serverInventory: ServerInventory<Settings & Record<string, unknown>> = {
  dumped: ['database', 'users', 'roles'],
  concerns(line, database) {
    const [type, name = ''] = line.split('\t', 2)
    return type === 'database' ? name === Buffer.from(database).toString('hex') : name.startsWith(`${database}.`)
  },
  list(login, address) {
    const { argv, stdin = '' } = listProgram(login, address)
    return {
      argv: ['sh', '-c', listScript, 'berth', ...argv],
      env: {},
      files: [{ path: valuesPath, content: stdin, mode: 0o600 }],
    }
  },
  exportEntries: (login, address) => dump(login, { ...address, database: 'admin' }),
  importEntries: (login, address) => restore(login, { ...address, database: 'admin' }),
}

export const mongoBackup: Backup<Settings & Record<string, unknown>> = {
  extension: 'archive',
  isMissingDumpedAsEmpty: true,
  promise:
    'All collections of the database with their indexes and options, views, and the users and roles of the ' +
    'database with their passwords. MongoDB has no snapshot of one database, so each document is as of the time when ' +
    'it was read. Changes made during the dump can be included or missing. Of a change to several documents, the ' +
    "dump can contain a part. Not included: users of the database admin, such as Berth's own user.",
  temporaryServerArgs: ['--setParameter', 'ttlMonitorEnabled=false'],
  dump,
  restore,
  reader: mongoReader,
  serverInventory,
}
