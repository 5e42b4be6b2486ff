/**
 * MongoDB: the limits of its settings, how its image is configured, and its health check. The programs that log in and
 * change credentials are in programs.ts.
 */
import { z } from 'zod'
import { textFile } from '../../lib/text-file.ts'
import { isSameVersion } from '../../lib/text/version.ts'
import { healthCheck } from '../health.ts'
import { type Address, kind, type Launch, settingTexts } from '../kind.ts'
import { printable } from '../printable.ts'
import { mongoSeries } from '../series-ends.ts'
import { authorityOf, encoded } from '../url.ts'
import { mongoBackup } from './backup.ts'
import { dataPath, fixedPaths, ready, rotate } from './programs.ts'

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
const DatabaseUser = writable(z.string().min(1, 'must not be empty'))

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

const settings = z.object({
  databaseUser: DatabaseUser.describe(settingTexts.databaseUser('User with the role root, in the database admin')),
  databasePassword: DatabasePassword.describe(settingTexts.password('databaseUser')),
})
type Settings = z.output<typeof settings>

const port = 27_017

/**
 * Returns the series that a tag names: 8.0 for 8.0.4-noble, 8 for 8. Berth opens data files
 * only with a server of the same series.
 */
function versionOf(tag: string | null): string | null {
  return /^\d{1,2}(?:\.\d{1,2})?(?!\d)/.exec(tag ?? '')?.[0] ?? null
}

const url = ({ databaseUser, databasePassword }: Settings, address: Address) =>
  `mongodb://${encoded(databaseUser)}:${encoded(databasePassword)}@${authorityOf(address)}/?authSource=admin`

/**
 * Adds required options to a command that starts the server: authentication, the data path on the volume, and the port.
 * If the command sets another value, the option appears twice, and the server refuses to start.
 */
function launch(_: Settings, args: string[], memoryLimitMiB: number | null): Launch {
  const [first = 'mongod'] = args
  if (!first.startsWith('-') && !/(?:^|\/)mongod$/.test(first)) return { args, files: [] }
  const isSet = (name: string, value: string) =>
    args.includes(`${name}=${value}`) || args.some((arg, index) => arg === name && args[index + 1] === value)
  const missing = [
    ['--dbpath', dataPath],
    ['--port', String(port)],
  ].filter(([name, value]) => !isSet(name!, value!))
  const auth = args.includes('--auth') ? [] : ['--auth']
  return { args: [...args, ...auth, ...missing.flat(), ...cacheSize(args, memoryLimitMiB)], files: [] }
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
  /^(Error parsing (?:command line|\w+ config file): .+)/m,
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
      return `${arg}: members of a replica set that requires a login need a key file, which Berth does not make. Remove it`
    }
    if (name === 'noauth') return `${arg}: Berth starts the server with --auth, so that it requires a login. Remove it`
    if (name === 'bind_ip' && !everyAddress.test(value)) {
      return `${arg} without 0.0.0.0: clients and Berth connect over the network. Remove it, or use --bind_ip_all`
    }
  }
  return null
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
  env: (it) => ({ MONGO_INITDB_ROOT_USERNAME: it.databaseUser, MONGO_INITDB_ROOT_PASSWORD: it.databasePassword }),
  launch,
  url,
  health: healthCheck(textFile('kinds/mongo/programs/answers.sh')),
  initializesOnce: true,
  ready,
  fixedPaths,
  rotate,
  backup: mongoBackup,
  manualBackup: 'manualBackupMongo',
})
