/** Tests of what the command line says about wrong input, ended tokens and a server that is away. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { after, test } from 'node:test'
import type { AddressInfo } from 'node:net'
import { startCommandLine, startProcess, mainPath } from './cli-fixture.ts'
import { until } from '../engine/until.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

const refusals: [args: string, status: number, text: RegExp][] = [
  ['deplyo orders', 2, /unknown command 'deplyo'\n\(Did you mean deploy\?\)\n\(--help shows/],
  ['backup nwo orders', 2, /Did you mean now\?/],
  ['ls --projct shop', 2, /Did you mean --project\?/],
  ['ls --kind postgras', 2, /Did you mean postgres\?/],
  ['ls wiki', 2, /Did you mean --project wiki\?$/m],
  ['export wiki', 2, /export has no command 'wiki'\. Did you mean berth export project wiki\?/],
  ['export projct', 2, /Did you mean project\?/],
  ['help deplyo', 2, /unknown command 'deplyo'\n\(Did you mean deploy\?\)/],
  ['events --kind databse', 2, /Did you mean database\?/],
  ['events --kind node,xyzxyz', 2, /They are project, member, database, /],
  ['create postgras x --project shop', 2, /Did you mean postgres\?/],
  ['create postgres x', 2, /--project <name>/],
  ['deploy', 2, /missing required argument 'database'/],
  ['deploy orders --wait long', 2, /--wait must be a number/],
  ['deploy orders --wait 601', 2, /from 1 to 600/],
  ['logs orders --tail x', 2, /--tail must be a number/],
  ['show ordres', 3, /There is no database 'ordres'\. Did you mean shop\/orders\?/],
  ['show shpo/orders', 3, /Did you mean shop\/orders or shop\/offers\?/],
  ['show zzz', 3, /berth ls lists all databases/],
  [
    'show shop',
    2,
    /'shop' can be one of 2 databases: shop\/orders \(shop-orders\), shop\/offers \(shop-offers\)\nUse a name in parentheses/,
  ],
  ['set orders --version 18', 2, /unknown option '--version'\n\(--help.*\n.*--image chooses the version/],
  ['create redis a/b --project shop', 2, /'a\/b' must not contain a \//],
  ['create redis a --project b/c', 2, /'b\/c' must not contain a \//],
  [
    'create mysql orders --project shop',
    2,
    /shop already has a database orders \(postgres\)\nChange it: berth set shop\/orders/,
  ],
  ['set offers --name orders', 2, /shop already has a database orders/],
  ['set orders --memory 1.5TB', 2, /--memory must be a size such as 512MiB/],
  ['ls --project shp', 3, /There is no project 'shp'\. Did you mean shop\?/],
  ['project rm zzz', 3, /There are: shop$/m],
  ['node drain memori', 3, /Did you mean memory\?/],
  ['user rm admin@exampel.org', 3, /Did you mean admin@example\.org\?/],
  ['destination test s3', 3, /There is no destination 's3'\. There is none yet/],
  ['registry images hub', 3, /There is no registry 'hub'/],
  ['context use home', 3, /There is no context 'home'\. You are not signed in anywhere/],
  ['backup now orders', 3, /berth backup schedule shop\/orders @daily/],
  ['token create ci --scope amdin', 2, /Did you mean admin\?/],
  ['completion basch', 2, /Did you mean bash\?/],
  ['certificate add x --cert missing.pem --key missing.key', 2, /--cert: missing\.pem cannot be read/],
]

test('says what is wrong, and suggests the nearest name', async () => {
  for (const name of ['orders', 'offers']) await cli.ok('create', 'postgres', name, '--project', 'shop', '--no-deploy')
  for (const [args, expected, text] of refusals) {
    const { status, stdout, stderr } = await cli.command(args.split(' '))
    assert.deepEqual([status, stdout, text.test(stderr)], [expected, '', true], `berth ${args}: ${stderr}`)
  }
})

test('tells how to sign in when there is no context, or the token has ended or may not do this', async () => {
  const without = await cli.command(['ls'], {})
  assert.deepEqual([without.status, /You are not signed in\nSign in: berth login URL/.test(without.stderr)], [4, true])
  const ended = await cli.command(['ls'], { ...cli.env, BERTH_TOKEN: 'berth_sess_ended' })
  const isTold = ended.stderr.includes(`token in BERTH_TOKEN`) && ended.stderr.includes(`berth login ${cli.url}`)
  assert.deepEqual([ended.status, isTold, /remove BERTH_URL and/.test(ended.stderr)], [4, true, true])
  const { token } = await cli.berth.user()
  const forbidden = await cli.command(['node', 'drain', 'memory'], { ...cli.env, BERTH_TOKEN: token })
  assert.equal(forbidden.status, 4)
  const half = await cli.command(['ls'], { BERTH_URL: cli.url })
  assert.deepEqual([half.status, /BERTH_TOKEN is not/.test(half.stderr)], [2, true])
})

test('a server that is away is told before the command gives up', async () => {
  const text = 'http://127.0.0.1:9 does not answer: no program listens there'
  const { recorded, ended } = startProcess('node', [mainPath, 'ls'], { ...cli.env, BERTH_URL: 'http://127.0.0.1:9' })
  await until('the note', async () => recorded.stderr.includes(`${text}. Trying again …`))
  const { status, stderr } = await ended
  assert.deepEqual([status, stderr.includes(`error: ${text}`)], [5, true])
  const tls = await cli.command(['ls'], { ...cli.env, BERTH_URL: cli.url.replace('http', 'https') })
  assert.deepEqual([tls.status, /does not speak TLS/.test(tls.stderr)], [5, true])
})

test('a server that accepts connections and does not answer is told, and Ctrl-C ends the wait', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { child, recorded, ended } = startProcess('node', [mainPath, 'ls'], { BERTH_URL: url, BERTH_TOKEN: 'x' })
  await until('the note', async () => recorded.stderr.includes(`${url} does not answer yet. Ctrl-C ends the wait`))
  child.kill('SIGINT')
  assert.equal((await ended).status, 130)
  silent.close()
})

test('another program at the URL is told apart from Berth', async () => {
  const { createServer: createHttpServer } = await import('node:http')
  const other = createHttpServer((_, reply) => void reply.writeHead(404).end('nothing here')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const { status, stderr } = await cli.command(['ls'], { BERTH_URL: url, BERTH_TOKEN: 'x' })
  assert.deepEqual([status, /but not as Berth does\. Is the URL right\?/.test(stderr)], [5, true])
  other.close()
})
