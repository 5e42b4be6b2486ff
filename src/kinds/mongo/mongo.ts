/**
 * MongoDB: the limits of its settings, how its image is configured, and its health check. The programs that log in and
 * change credentials are in programs.ts.
 */
import { z } from 'zod'
import { textFile } from '../../lib/text-file.ts'
import { isSameVersion } from '../../lib/text/version.ts'
import { healthCheck } from '../health.ts'
import { type Address, isNotOwnName, kind, type Lasting, type Launch, settingTexts } from '../kind.ts'
import { printable } from '../printable.ts'
import { mongoSeries } from '../series-ends.ts'
import { authorityOf, encoded } from '../url.ts'
import { mongoBackup } from './backup.ts'
import { maintenanceStart } from './maintenance.ts'
import {
  dataPath,
  fixedPaths,
  keyPath,
  ownAccounts,
  port,
  prepare,
  ready,
  rotate,
  unpreparedExitCode,
} from './programs.ts'

/**
 * The entry script of the official image writes the user and the password into source text. Old MongoDB shells read
 * U+2028 and U+2029 in source text as ends of lines.
 */
const noLineEnd = /^[^\u2028\u2029]*$/

/**
 * Texts that the entry script of images before version 6 loses. The shell of these images reads such a text as the end
 * of the line, and continues without creating the user.
 */
const lostByOldImages = /^"|\\"/

const writable = (text: z.ZodString) =>
  printable(text.max(255, 'must have at most 255 characters'))
    .regex(noLineEnd, 'must not contain the line separators U+2028 and U+2029: remove them')
    .refine(
      (it) => !lostByOldImages.test(it),
      'must not begin with " or contain \\", because images before version 6 lose such a text: remove it',
    )

/** 255 characters fit into the 1024 bytes to which servers before 4.2 limit an index key. */
const DatabaseUser = writable(z.string().min(1, 'must not be empty')).refine(...isNotOwnName)

/**
 * Characters that SASLprep does not change. Only blocks that are complete in Unicode 3.2, the version of SASLprep, are
 * included. Servers and drivers differ in whether they refuse, drop or replace other characters. Right-to-left letters
 * are excluded, because SASLprep has further rules for them. Source: RFC 4013; mongodb/specifications, auth.md,
 * SCRAM-SHA-256.
 */
const saslPrepStable = new RegExp(
  `^[${[
    ' -~',
    '\\u00a1-\\u00ac\\u00ae-\\u0220',
    '\\u0391-\\u03a1\\u03a3-\\u03ce',
    '\\u0400-\\u0486',
    '\\u1e00-\\u1e9b',
    '\\u1ea0-\\u1ef9',
    '\\u2010-\\u2027',
    '\\u20a0-\\u20b1',
    '\\u2190-\\u23ce',
    '\\u2500-\\u2613',
    '\\u2619-\\u267d',
    '\\u3001-\\u302f',
    '\\u3041-\\u3096',
    '\\u30a1-\\u30fe',
    '\\u4e00-\\u9fa5',
    '\\uac00-\\ud7a3',
  ].join('')}]*$`,
)

const DatabasePassword = writable(z.string()).refine(
  (it) => saslPrepStable.test(it) && it === it.normalize('NFKC'),
  'must contain only characters that SASLprep does not change (no emoji, no right-to-left letters, no special ' +
    'spaces, no ligatures): choose another password',
)

/** A name that needs no escape in a URL, and that the server does not take for an option. */
const ReplicaSet = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/,
    'must be 1 to 63 letters, digits, dots, hyphens and underscores, and begin and end with a letter or digit',
  )

const settings = z.object({
  databaseUser: DatabaseUser.describe(settingTexts.databaseUser('User with the role root, in the database admin')),
  databasePassword: DatabasePassword.describe(settingTexts.password('databaseUser')),
  replicaSet: ReplicaSet.nullable()
    .optional()
    .describe(
      'Name of the replica set of one member that the server becomes, for transactions and change streams. Null: none. ' +
        'Once a deploy has made the set, its name cannot change, because the data of a set can only be read as a set',
    ),
})
type Settings = z.output<typeof settings>

/**
 * Returns the series that a tag names: 8.0 for 8.0.4-noble, 8 for 8. Berth opens data files
 * only with a server of the same series.
 */
function versionOf(tag: string | null): string | null {
  return /^\d{1,2}(?:\.\d{1,2})?(?!\d)/.exec(tag ?? '')?.[0] ?? null
}

/**
 * A driver that knows the name of the replica set connects to the host name that the set has for its member. Outside
 * Berth's network, this name is unknown, so a client there connects to the address itself.
 */
function url({ databaseUser, databasePassword, replicaSet }: Settings, address: Address, isOutside = false): string {
  const login = `${encoded(databaseUser)}:${encoded(databasePassword)}`
  const member = isOutside ? 'directConnection=true' : `replicaSet=${replicaSet}`
  const options = typeof replicaSet === 'string' ? `authSource=admin&${member}` : 'authSource=admin'
  return `mongodb://${login}@${authorityOf(address)}/?${options}`
}

const startPath = '/etc/berth/start.sh'
const startScript = textFile('kinds/mongo/programs/start.sh', { keyPath })

/**
 * Adds required options to a command that starts the server: authentication, the data path on the volume, the port, and
 * the name of the replica set. If the command sets another value, the option appears twice, and the server refuses to
 * start. The members of a set know each other by a key: the server makes a random one before its first start.
 */
function launch({ replicaSet }: Settings, args: string[], memoryLimitMiB: number | null): Launch {
  const launched = { args: argsOf(args, replicaSet ?? null, memoryLimitMiB), files: [] }
  if (typeof replicaSet !== 'string') return launched
  const files = [{ path: startPath, content: startScript }]
  return { ...launched, before: ['sh', startPath], needsHostname: true, files }
}

function argsOf(args: string[], replicaSet: string | null, memoryLimitMiB: number | null): string[] {
  const [first = 'mongod'] = args
  if (!first.startsWith('-') && !/(?:^|\/)mongod$/.test(first)) return args
  const isSet = (name: string, value: string) =>
    args.includes(`${name}=${value}`) || args.some((arg, index) => arg === name && args[index + 1] === value)
  const missing = [
    ['--dbpath', dataPath],
    ['--port', String(port)],
  ].filter(([name, value]) => !isSet(name!, value!))
  const auth = args.includes('--auth') ? [] : ['--auth']
  const set = replicaSet === null ? [] : ['--replSet', replicaSet, '--keyFile', keyPath]
  return [...args, ...auth, ...missing.flat(), ...set, ...cacheSize(args, memoryLimitMiB)]
}

/**
 * Returns the option for a cache of 50 % of (memory limit - 1 GiB), at least 0.25 GiB. The server has the same default,
 * but not every version knows the container's limit. Returns no option without a memory limit, or if the command sets
 * the cache, the storage engine or a configuration file. Source:
 * mongodb.com/docs/manual/reference/configuration-options, cacheSizeGB.
 */
function cacheSize(args: string[], memoryLimitMiB: number | null): string[] {
  const storageOption = /^(?:--wiredTigerCacheSize|--storageEngine|--config|-f)/
  if (memoryLimitMiB === null || args.some((arg) => storageOption.test(arg))) return []
  return ['--wiredTigerCacheSizeGB', Math.max(0.25, (memoryLimitMiB / 1024 - 1) / 2).toFixed(2)]
}

/** Servers before 4.4 log plain text, and later ones JSON, except faults of the command line. */
const logFaults = [
  /^(Error (?:parsing|reading) [^:\n]+: .+)/m,
  /exception in initAndListen: (.+?)(?:, terminating)?$/m,
  /^((?:BadValue|FailedToParse|InvalidOptions): .+)/m,
  /"s":"[EF]".*?"msg":"((?:[^"\\]|\\.)+)".*?"(?:errmsg|error|reason|message)":"((?:[^"\\]|\\.)+)"/,
  /"s":"[EF]".*?"msg":"((?:[^"\\]|\\.)+)"/,
  / [EF] \w+ +\[\w+\] (.+)/,
]

const everyAddress = /(?:^|,)\s*(?:0\.0\.0\.0|::|\*)\s*(?:,|$)/

/** The server also accepts its options with one hyphen, and a value after = or as the next argument. */
function refusedArgument(args: readonly string[]): string | null {
  for (const [index, arg] of args.entries()) {
    const [, name = '', value = args[index + 1] ?? ''] = /^--?([\w.]+)(?:=(.*))?$/s.exec(arg) ?? []
    if (/^(?:replSet|replication\.replSet(?:Name)?)$/.test(name)) {
      return `${arg}: Berth starts the server as a replica set of one if the field replicaSet has its name. Use this field`
    }
    if (name === 'noauth') return `${arg}: Berth starts the server with --auth, so that it requires a login. Remove it`
    if (name === 'bind_ip' && !everyAddress.test(value)) {
      return `${arg} without 0.0.0.0: clients and Berth connect over the network. Remove it, or use --bind_ip_all`
    }
  }
  return null
}

/**
 * The files of a member can lack writes that only its oplog has (since version 4.0). A server without the set does not
 * read the oplog, and would lose them. So data never leaves its set. Source: mongodb.com/docs, DOCS-12863.
 */
const lasting: Lasting<Settings> = {
  names: ['replicaSet'],
  remedy:
    'The data can only be read as this replica set. To change it, create another service and restore a dump into it',
  unpreparedExitCode,
  prepare,
  found(args) {
    const at = args.indexOf('--replSet')
    return at === -1 ? {} : { replicaSet: args[at + 1] }
  },
}

export const mongo = kind({
  name: 'mongo',
  label: 'MongoDB',
  idField: 'mongoId',
  defaultImage: 'mongo:15',
  port,
  isAppNameOptional: false,
  settings,
  secrets: ['databasePassword'],
  serverPrograms: ['mongod'],
  logFaults,
  refusedArgument,
  reserved: {
    MONGO_INITDB_ROOT_USERNAME: 'use databaseUser',
    MONGO_INITDB_ROOT_USERNAME_FILE: 'use databaseUser',
    MONGO_INITDB_ROOT_PASSWORD: 'use databasePassword',
    MONGO_INITDB_ROOT_PASSWORD_FILE: 'use databasePassword',
  },
  versionOf,
  seriesEnds: mongoSeries,
  imageVersion: {
    variables: ['MONGO_VERSION', 'MONGO_MAJOR'],
    argv: ['mongod', '--version'],
    printed: /db version v(\S+)/,
  },
  /**
   * A newer version is refused too. It can open the files, but keeps the feature compatibility version of the previous
   * server until an administrator raises it.
   */
  opens: isSameVersion,
  dataPath: () => dataPath,
  dataFiles: { folder: dataPath, names: ['WiredTiger', 'storage.bson'] },
  env: (it) => ({ MONGO_INITDB_ROOT_USERNAME: it.databaseUser, MONGO_INITDB_ROOT_PASSWORD: it.databasePassword }),
  launch,
  url,
  health: healthCheck(textFile('kinds/mongo/programs/answers.sh')),
  initializesOnce: true,
  ready,
  fixedPaths,
  rotate,
  lasting,
  ownAccounts: { ...ownAccounts, maintenanceStart },
  backup: mongoBackup,
  manualBackup: 'manualBackupMongo',
})
