/**
 * Redis from 6.2 and Valkey: what they take, how their images are started so that no command of a caller's loses the
 * password or the data, how one logs in, and how the password is changed while they run. What is a caller's text is
 * argv of the server, environment or a hash, and never part of a program.
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

/** 8, 7.4-alpine, 7.4.1: of these 7.4, for a minor version of either product may change the format of its files. */
const versionOf = (tag: string | null): string | null =>
  /^[1-9]\d?(?:\.\d{1,2})?(?=$|[-._])/.exec(tag ?? '')?.[0] ?? null

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Before it has logged in nobody learns whether a server still reads its data, so the health check has a user of its
 * own, which may PING and nothing else. Its password lies in a file beside the configuration: it tells no more of the
 * real one than the hash there.
 */
const pulse = (password: string) => createHmac('sha256', password).update('berth-health').digest('hex')

const place = '/usr/local/etc/berth'
const configurationPath = `${place}/redis.conf`
const pulsePath = `${place}/redis-health`

const configuration = textTemplate('kinds/redis/programs/redis.conf')

/**
 * `appenddirname`, which would move the data elsewhere, is unknown to servers before 7: it is set only where the
 * command sets it.
 */
function configurationOf(password: string, words: string[]): string {
  const isMoved = words.some((word) => /appenddirname/i.test(word))
  return configuration({
    port: String(port),
    dataPath,
    appendDirectory: isMoved ? 'appenddirname appendonlydir\n' : '',
    passwordHash: sha256(password),
    pulseHash: sha256(pulse(password)),
  })
}

const serverProgram = /(?:^|\/)(?:redis|valkey)-server$/
const mebibyte = 1024 * 1024

/**
 * Options are read from left to right. From 7 on one without a value takes the next word, even `--include`, for it: the
 * two words before that are there for such an option to take.
 */
function argsOf(words: string[], memoryLimitMiB: number | null): string[] {
  const ours = ['--daemonize', 'no', '--include', configurationPath]
  const isServer = serverProgram.test(words[0] ?? '')
  const [program, rest] = isServer ? [words.slice(0, 1), words.slice(1)] : [[], words]
  const isOption = rest.length === 0 || rest[0]!.startsWith('-')
  if (!isServer && !isOption && !rest[0]!.endsWith('.conf')) return [...words, ...ours]
  return [...program, ...limitOf(memoryLimitMiB), ...(isOption ? rest : ['--include', ...rest]), ...ours]
}

/** The rest of the container's memory is for buffers, and for what a child that writes the files keeps as it was. */
function limitOf(memoryLimitMiB: number | null): string[] {
  return memoryLimitMiB === null ? [] : ['--maxmemory', String(Math.floor(memoryLimitMiB * mebibyte * 0.75))]
}

const launch = ({ databasePassword }: Settings, words: string[], memoryLimitMiB: number | null): Launch => ({
  args: argsOf(words, memoryLimitMiB),
  files: [
    { path: configurationPath, content: configurationOf(databasePassword, words) },
    { path: pulsePath, content: `${pulse(databasePassword)}\n` },
  ],
})

/** With the user's name, for redis-cli takes an empty one as it stands. */
const url = ({ databasePassword }: Settings, address: Address) =>
  `redis://default:${encoded(databasePassword)}@${authorityOf(address)}`

const answers = textFile('kinds/redis/programs/answers.sh', { pulsePath, port: String(port) })
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
  mayNameItself: false,
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
  /** Every version reads what an older one wrote, and none what a newer one did. */
  opens: (held, wanted) => compareVersions(wanted, held) >= 0,
  dataPath: () => dataPath,
  env: () => ({}),
  launch,
  url,
  health: healthCheck(answers, 10),
  ready: (it, address) => ({ argv: ['sh', '-c', readyScript], env: login(it, address) }),
  rotate,
})
