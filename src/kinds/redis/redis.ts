/**
 * Redis from 6.2 and Valkey: the limits of their settings, how their images are started so that no command of a caller
 * loses the password or the data, how Berth logs in, and how the password is changed on a running server. A caller's
 * text is passed in the server's arguments, in the environment or as a hash, and is never part of a program.
 */
import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { textFile, textTemplate } from '../../lib/text-file.ts'
import { compareVersions } from '../../lib/text/version.ts'
import { healthCheck } from '../health.ts'
import type { Exec } from '../../engine/exec.ts'
import { type Address, kind, type Launch } from '../kind.ts'
import { printable } from '../printable.ts'
import { authorityOf, encoded } from '../url.ts'

const settings = z.object({
  databasePassword: printable(z.string()).refine(
    (it) => Buffer.byteLength(it) <= 512,
    'must have at most 512 bytes in UTF-8: choose a shorter one',
  ),
})
type Settings = z.output<typeof settings>

const port = 6379
const dataPath = '/data'

/**
 * Returns the version that a tag names: 8 for 8, 7.4 for 7.4-alpine and 7.4.1. The minor version counts, because a
 * minor version of either product can change the file format.
 */
const versionOf = (tag: string | null): string | null =>
  /^[1-9]\d?(?:\.\d{1,2})?(?=$|[-._])/.exec(tag ?? '')?.[0] ?? null

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * The password of the health check's own user, which can only call PING. A client has to log in to learn whether the
 * server still loads its data. The password is in a file next to the configuration. It reveals no more about the real
 * password than the hash in the configuration does.
 */
const healthPassword = (password: string) => createHmac('sha256', password).update('berth-health').digest('hex')

const configurationFolder = '/usr/local/etc/berth'
const configurationPath = `${configurationFolder}/redis.conf`
const healthPasswordPath = `${configurationFolder}/redis-health`

const configuration = textTemplate('kinds/redis/programs/redis.conf')

/**
 * Resets `appenddirname`, with which a command would move the data off the expected path. Servers before 7 do not know
 * the option, so it is reset only if the command sets it.
 */
function configurationOf(password: string, words: string[]): string {
  const isMoved = words.some((word) => /appenddirname/i.test(word))
  return configuration({
    port: String(port),
    dataPath,
    appendDirectory: isMoved ? 'appenddirname appendonlydir\n' : '',
    passwordHash: sha256(password),
    pulseHash: sha256(healthPassword(password)),
  })
}

const serverProgram = /(?:^|\/)(?:redis|valkey)-server$/
const mebibyte = 1024 * 1024

/**
 * Returns the server's arguments, which the server reads from left to right. From 7 on, an option without a value takes
 * the next word as its value, even `--include`. `--daemonize no` comes first, so that such an option takes these words.
 */
function argsOf(words: string[], memoryLimitMiB: number | null): string[] {
  const ours = ['--daemonize', 'no', '--include', configurationPath]
  const isServer = serverProgram.test(words[0] ?? '')
  const [program, rest] = isServer ? [words.slice(0, 1), words.slice(1)] : [[], words]
  const isOption = rest.length === 0 || rest[0]!.startsWith('-')
  if (!isServer && !isOption && !rest[0]!.endsWith('.conf')) return [...words, ...ours]
  return [...program, ...limitOf(memoryLimitMiB), ...(isOption ? rest : ['--include', ...rest]), ...ours]
}

/**
 * Limits the data to 75 % of the container's memory. The rest is for buffers and for the pages that a child process
 * copies while it writes the files.
 */
function limitOf(memoryLimitMiB: number | null): string[] {
  return memoryLimitMiB === null ? [] : ['--maxmemory', String(Math.floor(memoryLimitMiB * mebibyte * 0.75))]
}

const launch = ({ databasePassword }: Settings, words: string[], memoryLimitMiB: number | null): Launch => ({
  args: argsOf(words, memoryLimitMiB),
  files: [
    { path: configurationPath, content: configurationOf(databasePassword, words) },
    { path: healthPasswordPath, content: `${healthPassword(databasePassword)}\n` },
  ],
})

/** Names the user `default`, because redis-cli would use an empty user name literally. */
const url = ({ databasePassword }: Settings, address: Address) =>
  `redis://default:${encoded(databasePassword)}@${authorityOf(address)}`

const answers = textFile('kinds/redis/programs/answers.sh', { pulsePath: healthPasswordPath, port: String(port) })
const readyScript = textFile('kinds/redis/programs/ready.sh')
const rotateScript = textFile('kinds/redis/programs/rotate.sh')

const login = ({ databasePassword }: Settings, { host, port }: Address): Record<string, string> => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  REDISCLI_AUTH: databasePassword,
  VALKEYCLI_AUTH: databasePassword,
})

function rotate(from: Settings, to: Settings, address: Address): Exec {
  const stdin = `ACL SETUSER default on resetpass #${sha256(to.databasePassword)}\n`
  return { argv: ['sh', '-c', rotateScript], env: login(from, address), stdin }
}

export const redis = kind({
  name: 'redis',
  label: 'Redis',
  idField: 'redisId',
  defaultImage: 'redis:8',
  port,
  isAppNameOptional: false,
  settings,
  secrets: ['databasePassword'],
  reserved: {
    VALKEY_EXTRA_FLAGS: 'use the command, which takes the same options',
    REDIS_ARGS: 'use the command, which takes the same options',
  },
  versionOf,
  imageVersion: {
    variables: ['VALKEY_VERSION', 'REDIS_VERSION'],
    argv: ['sh', '-c', '"$(command -v valkey-server || command -v redis-server)" --version'],
    printed: / v=(\S+)/,
  },
  /** Every version reads the files of older versions, and no version reads the files of newer ones. */
  opens: (dataVersion, serverVersion) => compareVersions(serverVersion, dataVersion) >= 0,
  dataPath: () => dataPath,
  env: () => ({}),
  launch,
  url,
  health: healthCheck(answers, 10),
  ready: (it, address) => ({ argv: ['sh', '-c', readyScript], env: login(it, address) }),
  rotate,
})
