/** The commands of sessions against a Berth with the in-memory engine: pipes, exit statuses, tunnels and dumps. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../engine/until.ts'
import type { Program } from '../engine/memory/jobs.ts'
import { mainPath, startCommandLine, startProcess } from './cli-fixture.ts'
import { startWithInput } from './input-process.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
await cli.ok('create', 'postgres', 'orders', '--project', 'shop')
await cli.ok('create', 'redis', 'cache', '--project', 'shop')

/** Runs the command in a process of its own, while sessions run the program. */
async function runWith(program: Program, args: string[], input = '') {
  cli.engine.onJob = program
  const command = startWithInput(mainPath, args, { XDG_CONFIG_HOME: cli.folder, ...cli.env })
  command.child.stdin!.end(input)
  return command.ended
}

test('a client gets its arguments and standard input, and its output, errors and status are passed on', async () => {
  let argv: string[] = []
  const result = await runWith(
    async (job, { stdin, stdout, stderr }) => {
      argv = job.argv
      stderr.write('a warning\n')
      for await (const piece of stdin!) stdout.write(`got ${piece}`)
      return 3
    },
    ['psql', 'orders', '--', '-At', '--no-psqlrc', '-c', 'select 1'],
    'select 2',
  )
  assert.deepEqual(result, { status: 3, stdout: 'got select 2', stderr: 'a warning\n' })
  assert.deepEqual(argv.slice(-4), ['-At', '--no-psqlrc', '-c', 'select 1'])
})

test('a client of another kind is refused with the right command', async () => {
  const wrong = await cli.command(['psql', 'cache'])
  assert.equal(wrong.status, 2)
  assert.match(wrong.stderr, /psql is not for shop\/cache, which is a Redis database\nType berth redis-cli shop\/cache/)
  assert.equal((await cli.command(['mongosh', 'nobody'])).status, 3)
})

test('an option of the client without -- is refused with the form that works', async () => {
  const { status, stderr } = await cli.command(['psql', 'orders', '-c', 'select 1'])
  assert.deepEqual([status, /berth psql NAME -- -c/.test(stderr)], [2, true], stderr)
})

test('an input that cannot be read is an error, and the client ends', async () => {
  const ended = Promise.withResolvers<void>()
  cli.engine.onJob = async (_job, { signal }) => {
    await once(signal, 'abort')
    ended.resolve()
    return 0
  }
  // A process has no memory at the address 0, so that the begin of this file cannot be read.
  const command = ['-c', 'exec 3< /proc/self/mem; node "$@" <&3; exit $?', 'sh', mainPath, 'psql', 'orders']
  const { status, stderr } = await startProcess('sh', command, { XDG_CONFIG_HOME: cli.folder, ...cli.env }).ended
  assert.deepEqual([status, stderr], [1, 'error: Standard input cannot be read: i/o error\n'])
  await ended.promise
})

test('a list of audit entries that is cut says so', async () => {
  const cut = await cli.command(['audit', '--limit', '1'])
  assert.match(cut.stderr, /newest 1 entries\. For more: --limit COUNT/)
  assert.equal((await cli.command(['audit', '--limit', '1000'])).stderr, '')
})

test('a refusal and a failure are errors with a reason', async () => {
  await cli.ok('stop', 'cache')
  const stopped = await cli.command(['redis-cli', 'cache'])
  assert.deepEqual([stopped.status, /The service is stopped/.test(stopped.stderr)], [1, true], stopped.stderr)
  await cli.ok('start', 'cache')
  const killed = await runWith(async () => ({ exitCode: 137, outOfMemory: true }), ['redis-cli', 'cache'])
  assert.deepEqual([killed.status, /more memory/.test(killed.stderr)], [1, true])
  const denied = await cli.command(['psql', 'orders'], { ...cli.env, BERTH_TOKEN: 'berth_sess_wrong' })
  assert.equal(denied.status, 4)
})

test('a dump goes to standard output or into a file, and one that fails leaves no file', async () => {
  const text = `PGDMP${'x'.repeat(500_000)}`
  const dumper =
    (exitCode: number): Program =>
    async (_job, { stdout, stderr }) => {
      stdout.write(text)
      if (exitCode !== 0) stderr.write('pg_dump: error: no')
      return exitCode
    }
  const whole = await runWith(dumper(0), ['dump', 'orders'])
  assert.deepEqual([whole.status, whole.stdout === text], [0, true], whole.stderr)
  assert.equal((await runWith(dumper(0), ['dump', 'orders', '--output', '-'])).stdout, text)
  const path = join(cli.folder, 'orders.dump')
  assert.equal((await runWith(dumper(0), ['dump', 'orders', '--output', path])).status, 0)
  assert.equal(readFileSync(path, 'utf8'), text)
  const failed = await runWith(dumper(1), ['dump', 'orders', '-o', `${path}.2`])
  assert.deepEqual([failed.status, existsSync(`${path}.2`)], [1, false])
  assert.match(failed.stderr, /pg_dump: error: no[\s\S]*failed with exit code 1/)
  assert.equal((await cli.command(['dump', 'cache'])).status, 1)
})

test('a dump whose connection breaks is an error', async () => {
  const started = Promise.withResolvers<void>()
  const running = runWith(
    async (_job, { stdout, signal }) => {
      stdout.write('PGDMP')
      started.resolve()
      await once(signal, 'abort')
      return 0
    },
    ['dump', 'orders'],
  )
  await started.promise
  await cli.berth.app.sessions.stop()
  const { status, stderr } = await running
  assert.notEqual(status, 0)
  assert.match(stderr, /Berth is stopping/)
})

test('a tunnel serves connections side by side, and each direction ends by itself', async () => {
  await using own = await startCommandLine()
  await own.ok('create', 'postgres', 'orders', '--project', 'shop')
  own.engine.onJob = async (_job, { stdin, stdout }) => {
    let length = 0
    for await (const piece of stdin!) length += (piece as Buffer).length
    // The answer comes after the end of the input.
    stdout.write(`${length} bytes`)
    return 0
  }
  const { child, recorded, ended } = own.start('tunnel', 'orders')
  await until('the address', async () => recorded.stdout.includes('\n'))
  const { port, protocol } = new URL(recorded.stdout.trim())
  assert.equal(protocol, 'postgresql:')
  const sizes = [0, 1, 300_000]
  const answers = await Promise.all(
    sizes.map(async (size) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
      socket.end(Buffer.alloc(size))
      return (await Array.fromAsync(socket)).join('')
    }),
  )
  assert.deepEqual(
    answers,
    sizes.map((size) => `${size} bytes`),
  )
  child.kill('SIGINT')
  assert.equal((await ended).status, 130)
  await until('the jobs to end', async () => (await own.engine.listJobs()).length === 0)
})

test('a tunnel to a server that requires TLS prints a URL with TLS', async () => {
  await using own = await startCommandLine()
  await own.ok('create', 'redis', 'cache', '--project', 'shop', '--tls', 'require')
  const { child, recorded, ended } = own.start('tunnel', 'cache')
  await until('the address', async () => recorded.stdout.includes('\n'))
  assert.match(recorded.stdout, /^rediss:\/\/default:\S+@127\.0\.0\.1:\d+\n$/)
  child.kill('SIGINT')
  await ended
  assert.match(await own.ok('env', 'cache', '--url'), /^rediss:/)
})

test('a tunnel refuses a port that is taken or none, and a stopped database', async () => {
  const server = createServer((socket: Socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const taken = await cli.command(['tunnel', 'orders', String(port)])
  server.close()
  assert.deepEqual([taken.status, taken.stdout], [1, ''])
  assert.match(taken.stderr, new RegExp(`Port ${port} of 127.0.0.1 is taken`))
  assert.equal((await cli.command(['tunnel', 'orders', '0'])).status, 2)
  await cli.ok('stop', 'cache')
  assert.match((await cli.command(['tunnel', 'cache'])).stderr, /shop\/cache is stopped\nStart it: berth start/)
  await cli.ok('create', 'redis', 'draft', '--project', 'shop', '--no-deploy')
  assert.match(
    (await cli.command(['tunnel', 'draft'])).stderr,
    /draft was never deployed\nDeploy it: berth deploy shop/,
  )
})
