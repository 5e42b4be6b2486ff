/** Sessions with real servers by the command line: clients of all kinds, a terminal, tunnels, and dumps that restore. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { type CommandLine, commandLineOn } from './session-command.ts'
import { containersOf, docker, onSwarm, type Swarm } from './swarm.ts'

/** For each kind its command, arguments that print 2, and an input that prints 3. */
const programs: Record<string, { command: string; args: string[]; input: string }> = {
  postgres: { command: 'psql', args: ['-At', '-c', 'select 1 + 1'], input: '\\t on\nselect 1 + 2;\n' },
  mysql: { command: 'mysql', args: ['-N', '-e', 'select 1 + 1'], input: 'select 1 + 2;\n' },
  mariadb: { command: 'mariadb', args: ['-N', '-e', 'select 1 + 1'], input: 'select 1 + 2;\n' },
  mongo: {
    command: 'mongosh',
    args: ['--eval', 'print(db.getSiblingDB("admin").runCommand({ping: 1}).ok + 1)'],
    input: 'print(1 + 2)\n',
  },
  redis: { command: 'redis-cli', args: ['eval', 'return 1 + 1', '0'], input: 'eval "return 1 + 2" 0\n' },
}

let swarm: Swarm
let cli: CommandLine
let databases: Record<string, { of: DatabaseClients; database: Database }>

before(async () => {
  swarm = await onSwarm()
  cli = await commandLineOn(swarm)
  const entries = await Promise.all(
    Object.keys(programs).map(async (kind) => {
      const of = databaseClientsOn(swarm, kindNamed(kind), clients[kind]!)
      return [kind, { of, database: await of.done('deploy', await of.create()) }] as const
    }),
  )
  databases = Object.fromEntries(entries)
})

after(async () => {
  cli?.[Symbol.dispose]()
  await swarm?.[Symbol.asyncDispose]()
})

const containersOfSessions = () => docker('ps', '--all', '--quiet', '--filter', 'name=berth-session-')
const nothingLeft = () =>
  until('the containers of sessions to be removed', async () => (await containersOfSessions()).length === 0)

for (const [kind, { command, args, input }] of Object.entries(programs)) {
  test(`berth ${command} runs statements from arguments and from a pipe`, async () => {
    const name = databases[kind]!.database.appName
    const [byArguments, byPipe] = await Promise.all([
      cli.run([command, name, '--', ...args]),
      cli.run([command, name], input),
    ])
    assert.deepEqual([byArguments.status, byArguments.stdout.trim()], [0, '2'], JSON.stringify(byArguments))
    assert.equal(byPipe.status, 0, JSON.stringify(byPipe))
    assert.match(byPipe.stdout, /(?:^|\s)3\s*$/m)
  })

  test(`a tunnel to ${kind} serves a driver`, async () => {
    const { of, database } = databases[kind]!
    const tunnel = cli.start('tunnel', database.appName)
    await tunnel.prints('\n')
    const url = tunnel.stdout().trim()
    assert.match(url, /@127\.0\.0\.1:\d+/)
    const session = await of.client.connect(url)
    await session.write('by the tunnel')
    assert.deepEqual(await session.read(), ['by the tunnel'])
    await session.close()
    tunnel.child.kill('SIGINT')
    assert.equal(await tunnel.ended, 130)
  })
}

test('passes the exit status, errors and large results on', async () => {
  const { appName } = databases.postgres!.database
  const failed = await cli.run(['psql', appName, '--', '-c', 'select nothing'])
  assert.equal(failed.status, 1)
  assert.match(failed.stderr, /column "nothing" does not exist/)
  const rows = 'select repeat(md5(i::text), 100) from generate_series(1, 5000) i'
  const large = await cli.run(['psql', appName, '--', '-At', '-c', rows])
  assert.deepEqual([large.status, large.stdout.length], [0, 5000 * 3201])
  await nothingLeft()
})

test('a terminal is interactive, follows its size, and is restored at the end', async () => {
  const { appName } = databases.postgres!.database
  const terminal = cli.inTerminal(`tty; berth psql ${appName}; echo "status $?"; stty -a`)
  await terminal.prints('shop=#')
  terminal.child.stdin!.write('\\! stty size\r')
  await terminal.prints('40 100')
  const device = /\/dev\/pts\/\d+/.exec(terminal.stdout())![0]
  await promisify(execFile)('stty', ['-F', device, 'cols', '77', 'rows', '33'])
  await until('the new size', async () => {
    terminal.child.stdin!.write('\\! stty size\r')
    return terminal.stdout().includes('33 77')
  })
  terminal.child.stdin!.write('select pg_sleep(60);\r')
  await terminal.prints('pg_sleep(60);')
  terminal.child.stdin!.write('\x03')
  await terminal.prints('canceling statement')
  terminal.child.stdin!.write('\\q\r')
  await terminal.prints('status 0')
  await terminal.ended
  assert.match(terminal.stdout(), / icanon/)
  assert.match(terminal.stdout(), / echo /)
  await nothingLeft()
})

test('a killed command ends its statement, and leaves no container and a usable terminal', async () => {
  const { appName } = databases.postgres!.database
  const terminal = cli.inTerminal(`echo "shell $$"; berth psql ${appName}; stty -a`)
  await terminal.prints('shop=#')
  terminal.child.stdin!.write('select pg_sleep(600);\r')
  const sleeping = "select count(*) from pg_stat_activity where state = 'active' and query ~ '^select pg_sleep'"
  const untilSleeping = (count: string) =>
    until(`${count} statements that sleep`, async () => {
      const { stdout } = await cli.run(['psql', appName, '--', '-At', '-c', sleeping])
      return stdout === `${count}\n`
    })
  await untilSleeping('1')
  await promisify(execFile)('pkill', ['-TERM', '-P', /shell (\d+)/.exec(terminal.stdout())![1]!])
  await terminal.ended
  assert.match(terminal.stdout(), / icanon/)
  await untilSleeping('0')
  await nothingLeft()
})

test('a dump restores, and a dump that is cut is an error and no file', async () => {
  const { appName } = databases.postgres!.database
  await cli.run([
    'psql',
    appName,
    '--',
    '-c',
    'create table item as select i, repeat(md5(i::text), 30) from generate_series(1, 100000) i',
  ])
  const path = join(cli.folder, 'orders.dump')
  const dumped = await cli.run(['dump', appName, '--output', path])
  assert.equal(dumped.status, 0, dumped.stderr)
  assert.ok(statSync(path).size > 90_000_000)
  const [container] = await containersOf(appName)
  await docker('exec', container!, 'createdb', '-h', '127.0.0.1', '-U', 'shop', 'copy')
  await restoreInto(container!, path)
  const count = await cli.run(['psql', appName, '--', '-At', '-d', 'copy', '-c', 'select count(*) from item'])
  assert.equal(count.stdout, '100000\n')

  const cut = cli.start('dump', appName, '--output', `${path}.2`)
  const [id] = await until('the container of the dump', async () => {
    const ids = await docker('ps', '--quiet', '--filter', 'name=berth-session-')
    return ids.length > 0 && ids
  })
  await docker('kill', id!)
  assert.notEqual(await cut.ended, 0)
  assert.ok(!existsSync(`${path}.2`))
  await nothingLeft()
})

function restoreInto(container: string, path: string): Promise<void> {
  const args = ['exec', '--interactive', container, 'pg_restore', '-h', '127.0.0.1', '-U', 'shop', '-d', 'copy']
  return new Promise((resolve, reject) => {
    const restore = execFile('docker', args, (error) => (error === null ? resolve() : reject(error)))
    createReadStream(path).pipe(restore.stdin!)
  })
}

test('records each session in the audit log, without statements', async () => {
  const { body } = await swarm.call<{ details: { event: string; mode: string; exitCode?: number } }[]>('audit.all', {
    operation: 'database.openSession',
  })
  const ends = body.map(({ details }) => details).filter(({ event }) => event === 'end')
  assert.equal(ends.length * 2, body.length)
  assert.deepEqual([...new Set(ends.map(({ mode }) => mode))].sort(), ['client', 'dump', 'tunnel'])
  assert.ok(!JSON.stringify(body).includes('pg_sleep'))
})
