/** The process: its output, its errors at startup, and how it stops. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { splitShellWords } from '../src/lib/text/shell-words.ts'
import { bareEnv } from './fixtures/bare-env.ts'
import { bundled, nodeFlags } from './fixtures/bundle.ts'
import { freePort } from './fixtures/free-port.ts'
import { open, received, until } from './http/raw.ts'

const main = bundled('berth')

interface Process {
  child: ChildProcess
  output: { out: string; err: string }
  ended: Promise<number | null>
  url: string
  folder: string
}

async function run(
  t: TestContext,
  env: Record<string, string> = {},
  folder = mkdtempSync(join(tmpdir(), 'berth-start-')),
): Promise<Process> {
  const port = await freePort()
  const settings = { BERTH_DATA: folder, BERTH_PORT: String(port), DOCKER_HOST: 'unix:///nowhere/docker.sock', ...env }
  const child = spawn(process.execPath, [...nodeFlags, main], { env: bareEnv({ HOME: folder, ...settings }) })
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  const ended = once(child, 'close').then(([status]) => status as number | null)
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  return { child, output, ended, url: `http://127.0.0.1:${settings.BERTH_PORT}`, folder }
}

async function printed({ child, output, ended }: Process, pattern: RegExp): Promise<void> {
  while (!pattern.test(output.err)) {
    const status = await Promise.race([once(child.stderr!, 'data').then(() => undefined), ended])
    if (status !== undefined) assert.fail(`ended with ${status}: ${output.err}`)
  }
}

const lines = ({ output }: Process) =>
  output.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('the printed command creates the administrator', async (t) => {
  const berth = await run(t)
  await printed(berth, /Stop Berth/)
  const tokenPath = join(berth.folder, 'access-token')
  const token = readFileSync(tokenPath, 'utf8').trim()
  assert.equal(statSync(tokenPath).mode & 0o777, 0o600)
  assert.ok(!berth.output.err.includes(token), 'the token is not printed')
  const [, words] = /^ +berth (login .+)$/m.exec(berth.output.err)!
  const args = [bundled('cli'), ...splitShellWords(words!), '--email', 'ada@example.org']
  const env = bareEnv({ HOME: berth.folder, BERTH_PASSWORD: 'long enough' })
  const login = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let answer = ''
  login.stdout.on('data', (chunk) => {
    answer += chunk
  })
  assert.deepEqual(await once(login, 'close'), [0, null])
  assert.match(answer, /Signed in to .+ as ada@example\.org\./)
})

test('the start removes the access of other users to the data folder and its files', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-start-'))
  const stateFile = join(folder, 'berth.state')
  writeFileSync(stateFile, 'x')
  for (const [path, mode] of [
    [folder, 0o755],
    [stateFile, 0o644],
  ] as const)
    chmodSync(path, mode)
  const berth = await run(t, {}, folder)
  await printed(berth, /Stop Berth/)
  const accessibleToOthers = [folder, ...readdirSync(folder).map((name) => join(folder, name))].filter(
    (path) => (statSync(path).mode & 0o077) !== 0,
  )
  assert.deepEqual(accessibleToOthers, [])
  assert.ok(readdirSync(folder).includes('berth.db-wal'), 'the store is open')
})

test('refuses a data folder with other files, names BERTH_DATA and changes nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-start-'))
  writeFileSync(join(folder, 'page.html'), 'x')
  chmodSync(folder, 0o755)
  const berth = await run(t, {}, folder)
  assert.equal(await berth.ended, 1)
  assert.match(berth.output.err, /contains other files and no store of Berth\. Set BERTH_DATA to an empty folder/)
  assert.deepEqual([readdirSync(folder), statSync(folder).mode & 0o777], [['page.html'], 0o755])
})

test('without an engine Berth prints a warning, serves, and exits with 0 on SIGTERM', async (t) => {
  const berth = await run(t)
  await printed(berth, /The engine does not answer: .+\n.*tries again/)
  assert.equal((await fetch(`${berth.url}/readyz`)).status, 503)
  berth.child.kill('SIGTERM')
  assert.equal(await berth.ended, 0)
  const events = lines(berth).map(({ msg }) => msg)
  // A turn of a loop that fails for lack of an engine can end after the signal.
  const stages = events.filter((msg) => msg !== 'a loop failed')
  assert.deepEqual(
    [stages.includes('serving'), stages.includes('request'), stages.at(-2), stages.at(-1)],
    [true, true, 'stopping', 'stopped'],
  )
  assert.ok(!berth.output.out.includes(readFileSync(join(berth.folder, 'access-token'), 'utf8').trim()))
})

test('a stop signal lets open requests finish', async (t) => {
  const berth = await run(t)
  await printed(berth, /Stop Berth/)
  const { socket, body } = await beginRequest(berth)
  berth.child.kill('SIGTERM')
  await stopping(berth)
  const answer = received(socket)
  socket.write(body)
  assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*berth_sess_/)
  assert.equal(await berth.ended, 0)
})

test('a second signal ends the process at once', async (t) => {
  const berth = await run(t)
  await printed(berth, /Stop Berth/)
  const { socket } = await beginRequest(berth)
  berth.child.kill('SIGINT')
  await stopping(berth)
  berth.child.kill('SIGINT')
  assert.equal(await berth.ended, 1)
  socket.destroy()
})

/** Sends the headers of a call and waits until the server has read them. */
async function beginRequest({ url, folder }: Process) {
  const socket = await open(url)
  const token = readFileSync(join(folder, 'access-token'), 'utf8').trim()
  const body = '{"email": "ada@example.org", "password": "long enough"}'
  const head = [
    'POST /api/auth.createAdmin HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${token}`,
    'Expect: 100-continue',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await until(socket, /100 Continue/)
  return { socket, body }
}

async function stopping({ child, output }: Process) {
  while (!output.out.includes('"stopping"')) await once(child.stdout!, 'data')
}

test('a failed start prints the reason and exits with 1', async (t) => {
  const occupiedPort = createServer().listen(0, '127.0.0.1')
  await once(occupiedPort, 'listening')
  t.after(() => occupiedPort.close())
  const port = String((occupiedPort.address() as { port: number }).port)
  const folder = mkdtempSync(join(tmpdir(), 'berth-file-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), '')
  writeFileSync(join(folder, 'master.key'), 'short')
  const damaged = join(folder, 'damaged')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'berth.db'), 'no store')
  const cases: [Record<string, string>, RegExp][] = [
    [
      { BERTH_PORT: 'x', BERTH_HOST: 'y', DOCKER_HOST: 'z' },
      /BERTH_HOST must be[\s\S]*BERTH_PORT must be[\s\S]*DOCKER_HOST must be/,
    ],
    [{ BERTH_PORT: port }, /Port \d+ on 127\.0\.0\.1 is in use\./],
    [{ BERTH_HOST: '192.0.2.1' }, /192\.0\.2\.1 is not an address of this machine\./],
    [{ BERTH_DATA: join(folder, 'file') }, /is not a folder\./],
    [{ BERTH_DATA: folder }, /does not contain a master key/],
    [{ BERTH_DATA: damaged }, /is damaged \(file is not a database\)\..*berth state restore FILE --replace/],
  ]
  for (const [env, messagePattern] of cases) {
    const berth = await run(t, env)
    assert.equal(await berth.ended, 1, berth.output.err)
    assert.match(berth.output.err, messagePattern)
    assert.doesNotMatch(berth.output.err, /\n +at /, 'no stack trace')
  }
})

test('a second Berth on the same data folder does not start', async (t) => {
  const first = await run(t)
  await printed(first, /Stop Berth/)
  const second = await run(t, { BERTH_DATA: first.folder })
  assert.equal(await second.ended, 1)
  assert.match(second.output.err, /Another Berth is running on this data folder/)
})
