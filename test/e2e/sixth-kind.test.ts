/** A sixth kind is one object and its place in the list: it has all operations, and passes the suite of all kinds. */
import { after, before } from 'node:test'
import { z } from 'zod'
import { kinds } from '../../src/kinds/index.ts'
import { type Address, type Kind, kind } from '../../src/kinds/kind.ts'
import { isSameVersion } from '../../src/lib/version.ts'
import type { Swarm } from './swarm.ts'

const settings = z.object({ databasePassword: z.string().max(100).regex(/^[ -~]*$/) })
type Settings = z.output<typeof settings>

/** As a file of the server's has it: each character by its number. */
const quoted = (text: string) => `"${text.replace(/./g, (it) => `\\x${it.charCodeAt(0).toString(16)}`)}"`
const cli = (address: Address, it: Settings) =>
  ({ argv: ['redis-cli', '-h', address.host, '-p', String(address.port)], env: { REDISCLI_AUTH: it.databasePassword } })
const script = 'test "$("$@" --no-auth-warning ping)" = PONG'

const shelf = kind({
  name: 'shelf',
  label: 'Shelf',
  idField: 'shelfId',
  defaultImage: 'redis:7',
  port: 6379,
  mayNameItself: false,
  settings,
  secrets: ['databasePassword'],
  reserved: {},
  versionOf: (tag) => /^\d+/.exec(tag ?? '')?.[0] ?? null,
  opens: isSameVersion,
  dataPath: () => '/data',
  env: () => ({}),
  launch: ({ databasePassword }, words) => ({
    args: [...words, '--appendonly', 'yes', '--include', '/shelf.conf'],
    files: [{ path: '/shelf.conf', content: `requirepass ${quoted(databasePassword)}\n` }],
  }),
  url: ({ databasePassword }, { host, port }) => `redis://:${encodeURIComponent(databasePassword)}@${host}:${port}`,
  health: ['sh', '-c', 'sleep 1; redis-cli ping'],
  ready(it, address) {
    const { argv, env } = cli(address, it)
    return { argv: ['sh', '-c', script, 'shelf', ...argv], env }
  },
  rotate: (from, to, address) =>
    ({ ...cli(address, from), stdin: `config set requirepass ${quoted(to.databasePassword)}\n` }),
})

// Before anything is loaded that reads the list.
;(kinds as Kind[]).push(shelf)
const [{ clients }, { kindSuite }, { onSwarm }] =
  await Promise.all([import('./clients.ts'), import('./kind-suite.ts'), import('./swarm.ts')])

let berth: Swarm
before(async () => { berth = await onSwarm() })
after(() => berth[Symbol.asyncDispose]())

kindSuite(shelf, { ...clients.redis!, images: ['redis:7'] }, () => berth)
