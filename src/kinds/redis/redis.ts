/**
 * Redis from 6.2 and Valkey: what they take, how their images are started so that no command of a caller's loses the
 * password or the data, how one logs in, and how the password is changed while they run. What is a caller's text is
 * argv of the server, environment or a hash, and never part of a program.
 */
import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { compareVersions } from '../../lib/version.ts'
import { healthCheck } from '../health.ts'
import { type Address, type Exec, kind, type Launch } from '../kind.ts'
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

/**
 * The last to be read, so it holds against the command. The password as a hash only, with which nobody logs in.
 * `appenddirname`, which would leave the data behind like the others, is unknown before 7: it is set where the command
 * knows it.
 */
function configurationOf(password: string, words: string[]): string {
  const isMoved = words.some((word) => /appenddirname/i.test(word))
  return `port ${port}
bind * -::*
daemonize no
dir ${dataPath}
appendonly yes
appendfilename appendonly.aof
${isMoved ? 'appenddirname appendonlydir\n' : ''}\
user default reset on #${sha256(password)} ~* &* +@all
user berth-health reset on #${sha256(pulse(password))} +ping
`
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

/** An image has one of them, and each reads its own variable first. */
const findClient = `
cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image has neither redis-cli nor valkey-cli' >&2
  exit 1
}
`

/**
 * Any answer is a sign of life but that the data is still being read: a server that cannot write to its disk or runs a
 * long script must not be killed for it.
 */
const answers = `${findClient}
REDISCLI_AUTH=$(cat ${pulsePath})
VALKEYCLI_AUTH=$REDISCLI_AUTH
export REDISCLI_AUTH VALKEYCLI_AUTH
answers() {
  case $(timeout "$1" "$cli" -h 127.0.0.1 -p ${port} --user berth-health PING 2>&1) in
    *LOADING*) return 1 ;;
    *PONG* | *NOAUTH* | *WRONGPASS* | *NOPERM* | *MISCONF* | *BUSY* | *MASTERDOWN* | *'max number of clients'*) ;;
    *) return 1 ;;
  esac
}
`

/** That a password is asked for is part of being ready, and so is that what is written outlives the process. */
const readyScript = `${findClient}
call() {
  timeout 3 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" "$@" 2>&1 | tr -d '\\r'
}
fail() {
  printf '%s\\n' "$1" | head -n 1 >&2
  exit 1
}
stranger=$(unset REDISCLI_AUTH VALKEYCLI_AUTH; call PING)
case $stranger in
  NOAUTH*) ;;
  PONG*) fail 'It answers without a password' ;;
  *) fail "\${stranger:-It does not answer}" ;;
esac
info=$(call INFO)
field() {
  printf '%s\\n' "$info" | sed -n "s/^$1://p"
}
version=$(field valkey_version)
[ -n "$version" ] || version=$(field redis_version)
[ -n "$version" ] || fail "\${info:-It does not answer}"
[ "$(field loading)" = 0 ] || fail 'It is still reading its data'
[ "$(field aof_enabled)" = 1 ] || fail 'Its append-only file is off, so that it would lose data'
answer=$(call PING)
[ "$answer" = PONG ] || fail "\${answer:-It does not answer}"
printf '%s\\n' "$version" | cut -d . -f 1,2
`

const rotateScript = `${findClient}
answer=$(timeout 10 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" 2>&1)
[ "$answer" = OK ] || {
  printf '%s\\n' "\${answer:-It does not answer}" >&2
  exit 1
}
`

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
