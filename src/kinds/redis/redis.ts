/**
 * Redis since 6.2, and Valkey: the limits of their settings, how their images are started, how Berth logs in, and how
 * the password is changed on a running server. A caller's options for the server can neither disable the password nor
 * move the data. A caller's text is passed in the server's arguments, in the environment or as a hash, and is never
 * part of a program.
 */
import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { textFile, textTemplate } from '../../lib/text-file.ts'
import { compareVersions } from '../../lib/text/version.ts'
import { healthCheck } from '../health.ts'
import type { Exec } from '../../engine/exec.ts'
import { type Address, kind, type Launch, settingTexts } from '../kind.ts'
import { printable } from '../printable.ts'
import { redisSeries } from '../series-ends.ts'
import { authorityOf, encoded } from '../url.ts'
import { redisBackup } from './backup.ts'

const settings = z.object({
  databasePassword: printable(z.string())
    .refine((it) => Buffer.byteLength(it) <= 512, 'must have at most 512 bytes in UTF-8: choose a shorter password')
    .describe(settingTexts.password('the user default')),
})
type Settings = z.output<typeof settings>

const port = 6379
const dataPath = '/data'

/**
 * Returns the version that a tag names: 8 for 8, 7.4 for 7.4-alpine and 7.4.1. The minor version is included, because
 * minor versions of both products can change the file format.
 */
const versionOf = (tag: string | null): string | null =>
  /^[1-9]\d?(?:\.\d{1,2})?(?=$|[-._])/.exec(tag ?? '')?.[0] ?? null

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Returns the password of the health check's user, which can only call PING. The health check has to log in, because
 * the server tells only a client that has logged in whether it still loads its data. The password is in a file next to
 * the configuration. It reveals no more about the real password than the hash in the configuration does.
 */
const healthPassword = (password: string) => createHmac('sha256', password).update('berth-health').digest('hex')

/** The folder of Berth's files on the volume. Berth's mark of the data lies beside it. */
const ownFolder = `${dataPath}/.berth`
/** The file in which the server keeps its users and their passwords, as hashes. */
const usersPath = `${ownFolder}/users.acl`

const configurationFolder = '/usr/local/etc/berth'
const configurationPath = `${configurationFolder}/redis.conf`
const startPath = `${configurationFolder}/start.sh`
const firstUsersPath = `${configurationFolder}/first-users.acl`
const healthPasswordPath = `${configurationFolder}/redis-health`

const startScript = textFile('kinds/redis/programs/start.sh', { dataPath, ownFolder, usersPath, firstUsersPath })
const configuration = textTemplate('kinds/redis/programs/redis.conf')
const firstUsers = textTemplate('kinds/redis/programs/first-users.conf')

/**
 * Returns the configuration file. It resets `appenddirname` if the command sets this option, because the option moves
 * the data to another path. Servers before 7 do not know the option.
 */
function configurationOf(args: string[]): string {
  const isMoved = args.some((arg) => /appenddirname/i.test(arg))
  return configuration({
    port: String(port),
    dataPath,
    usersPath,
    appendDirectory: isMoved ? 'appenddirname appendonlydir\n' : '',
  })
}

/** Returns the users of the first start. Only hashes of the passwords are in a file, and nobody can log in with a hash. */
const firstUsersOf = (password: string): string =>
  firstUsers({ passwordHash: sha256(password), healthHash: sha256(healthPassword(password)) })

/**
 * Options that name users. The server accepts them only without a file of users. An option and its value can be one
 * argument, and case does not matter.
 */
const usersOption = /^--(?:user|aclfile)(?:\s|$)/i

function refusedArgument(args: readonly string[]): string | null {
  const found = args.find((arg) => usersOption.test(arg))
  if (found === undefined) return null
  const option = found.split(/\s/, 1)[0]!
  return `${option}: Berth keeps the users in a file on the volume. Remove it, and create users with ACL SETUSER and ACL SAVE`
}

const serverProgram = /(?:^|\/)(?:redis|valkey)-server$/
const mebibyte = 1024 * 1024

/**
 * Returns the server's arguments. The server reads them from left to right, so Berth's configuration is last. Since
 * version 7, an option without a value takes the next argument as its value, even `--include`. `--daemonize no`
 * precedes `--include`, so an option without a value at the end of the command takes `--daemonize` instead.
 */
function argsOf(args: string[], memoryLimitMiB: number | null): string[] {
  const berthArgs = ['--daemonize', 'no', '--include', configurationPath]
  const isServer = serverProgram.test(args[0] ?? '')
  const [program, rest] = isServer ? [args.slice(0, 1), args.slice(1)] : [[], args]
  const isOption = rest.length === 0 || rest[0]!.startsWith('-')
  if (!isServer && !isOption && !rest[0]!.endsWith('.conf')) return [...args, ...berthArgs]
  return [...program, ...limitOf(memoryLimitMiB), ...(isOption ? rest : ['--include', ...rest]), ...berthArgs]
}

/**
 * Returns the option that limits the data to 75 % of the container's memory. The rest is for buffers and for the pages
 * that are copied while a child process writes the files.
 */
function limitOf(memoryLimitMiB: number | null): string[] {
  return memoryLimitMiB === null ? [] : ['--maxmemory', String(Math.floor(memoryLimitMiB * mebibyte * 0.75))]
}

const launch = ({ databasePassword }: Settings, args: string[], memoryLimitMiB: number | null): Launch => ({
  before: ['sh', startPath],
  args: argsOf(args, memoryLimitMiB),
  files: [
    { path: configurationPath, content: configurationOf(args) },
    { path: firstUsersPath, content: firstUsersOf(databasePassword) },
    { path: healthPasswordPath, content: `${healthPassword(databasePassword)}\n` },
    { path: startPath, content: startScript },
  ],
})

/** Names the user `default`, because redis-cli would use an empty user name literally. */
const url = ({ databasePassword }: Settings, address: Address) =>
  `redis://default:${encoded(databasePassword)}@${authorityOf(address)}`

const answers = textFile('kinds/redis/programs/answers.sh', { healthPasswordPath, port: String(port) })
const readyScript = textFile('kinds/redis/programs/ready.sh', { dataPath })
const saveScript = textFile('kinds/redis/programs/save.sh', { ownFolder, usersPath })

const login = ({ databasePassword }: Settings, { host, port }: Address): Record<string, string> => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  REDISCLI_AUTH: databasePassword,
  VALKEYCLI_AUTH: databasePassword,
})

/** `resetpass` removes passwords only. The rules of the user and its sessions stay. */
function rotate(from: Settings, to: Settings, address: Address): Exec {
  const stdin = `ACL SETUSER default on resetpass #${sha256(to.databasePassword)}\n`
  return { argv: ['sh', '-c', saveScript], env: login(from, address), stdin }
}

const save = (it: Settings, address: Address): Exec => ({ argv: ['sh', '-c', saveScript], env: login(it, address) })

export const redis = kind({
  name: 'redis',
  label: 'Redis',
  idField: 'redisId',
  defaultImage: 'redis:8',
  port,
  isAppNameOptional: false,
  settings,
  secrets: ['databasePassword'],
  serverPrograms: ['redis-server', 'valkey-server'],
  refusedArgument,
  logFaults: [
    /FATAL CONFIG FILE ERROR.*\n(?:Reading .*\n)?>>> '(.*)'\n(.+)/,
    / # (Aborting \w+ startup because of ACL errors.*|Configuring \w+ with users defined .*)/,
    / # ((?:Bad file format|Can't |Could not |Failed |Fatal error|Unable |Unrecoverable|Wrong signature).*)/,
  ],
  reserved: {
    VALKEY_EXTRA_FLAGS: 'use the field command, which accepts the same options',
    REDIS_ARGS: 'use the field command, which accepts the same options',
  },
  versionOf,
  seriesEnds: redisSeries,
  productOf: (image) => (/valkey/i.test(image) ? 'Valkey' : 'Redis'),
  imageVersion: {
    variables: ['VALKEY_VERSION', 'REDIS_VERSION'],
    argv: ['sh', '-c', '"$(command -v valkey-server || command -v redis-server)" --version'],
    printed: / v=(\S+)/,
  },
  /**
   * A server reads the files of older versions of the same product, but can fail to read the files of newer versions.
   */
  opens: (dataVersion, serverVersion) => compareVersions(serverVersion, dataVersion) >= 0,
  dataPath: () => dataPath,
  dataFiles: { folder: dataPath, names: ['appendonlydir', 'appendonly.aof', 'dump.rdb'] },
  env: () => ({}),
  launch,
  url,
  health: healthCheck(answers, 10),
  initializesOnce: false,
  ready: (it, address) => ({ argv: ['sh', '-c', readyScript], env: login(it, address) }),
  rotate,
  save,
  backup: redisBackup,
  manualBackup: 'manualBackupRedis',
  createBackup: 'createRedis',
})
