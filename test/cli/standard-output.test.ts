/** What the command line does if its standard output is a slow or closed pipe, or a file on a full disk. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { until } from '../engine/until.ts'
import type { Program } from '../engine/memory/jobs.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { mainPath, startCommandLine, startProcess } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
await cli.ok('create', 'postgres', 'orders', '--project', 'shop')

const env = { XDG_CONFIG_HOME: cli.folder, ...cli.env }
const dumpText = `PGDMP${'x'.repeat(500_000)}`
const dumper: Program = async (_job, { stdout }) => {
  stdout.write(dumpText)
  return 0
}

/** Runs the program with the redirection, a constant of these tests. No file may grow beyond 102,400 bytes. */
const runRedirected = (redirection: string, args: string[], more: NodeJS.ProcessEnv = {}) =>
  startProcess('sh', ['-c', `ulimit -f 200; exec node "$@" ${redirection}`, 'sh', mainPath, ...args], {
    ...env,
    ...more,
  }).ended

/** Runs the program without a reader of its standard output. */
function runUnread(args: string[]) {
  const { child, ended } = startProcess('node', [mainPath, ...args], env)
  child.stdout!.destroy()
  return ended
}

/** An installation with so many projects that no pipe takes their list at once. */
async function manyProjects(t: TestContext) {
  const projects = Array.from({ length: 20_000 }, (_, i) => ({
    projectId: `p${i}`,
    name: `project-${i}`,
    databases: [],
  }))
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(projects))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { BERTH_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a pipe gets all of a long list', async (t) => {
  const list = startProcess('node', [mainPath, 'project', 'ls', '--json'], { ...env, ...(await manyProjects(t)) })
  const { status, stdout, stderr } = await list.ended
  assert.equal(status, 0, stderr)
  assert.equal(JSON.parse(stdout).length, 20_000)
})

test('a list that a file takes only in part is an error', async (t) => {
  const file = join(temporaryFolder(t), 'list')
  const own = { ...(await manyProjects(t)), FILE: file }
  const { status, stderr } = await runRedirected('> "$FILE"', ['project', 'ls', '--json'], own)
  assert.deepEqual([status, statSync(file).size], [1, 102_400], stderr)
  assert.match(stderr, /^error: The output is incomplete.*file too large\n$/)
})

test('a full disk is an error with a message', async () => {
  for (const args of [['status'], ['--version'], ['dump', 'orders']]) {
    cli.engine.onJob = dumper
    const { status, stderr } = await runRedirected('> /dev/full', args)
    assert.equal(status, 1, args.join(' '))
    assert.match(stderr, /^error: The output is incomplete.*no space left on device\n$/m)
  }
})

test('a file gets all of a text', async (t) => {
  const file = join(temporaryFolder(t), 'text')
  for (const [args, text] of [
    [['--version'], /^\d+\.\d+\.\d+\n$/],
    [['dump', '--help'], /Examples:/],
  ] as const) {
    assert.equal((await runRedirected('> "$FILE"', [...args], { FILE: file })).status, 0)
    assert.match(readFileSync(file, 'utf8'), text)
  }
})

test('the reader of a list may end early', async () => {
  assert.deepEqual(await runUnread(['ls', '--json']), { status: 0, stdout: '', stderr: '' })
})

test('the reader of a dump, or of the output of a client, may not end early', async () => {
  for (const name of ['dump', 'psql']) {
    cli.engine.onJob = dumper
    const { status, stderr } = await runUnread([name, 'orders'])
    assert.equal(status, 1, name)
    assert.match(stderr, /^error: The output is incomplete.*broken pipe\n$/)
  }
})

test('berth apply reports that it has stopped because its output has no reader', async (t) => {
  const file = join(temporaryFolder(t), 'berth.yaml')
  writeFileSync(file, 'berth: 1\nprojects:\n  one: {}\n')
  assert.equal((await runUnread(['apply', '-f', file, '--plan'])).status, 0)
  assert.equal((await runUnread(['apply', '-f', file, '--plan', '--exit-code'])).status, 7)
  const { status, stderr } = await runUnread(['apply', '-f', file, '--yes'])
  assert.deepEqual([status, /The output is incomplete/.test(stderr)], [1, true], stderr)
})

test('a dump that a file takes only in part is an error', async (t) => {
  const file = join(temporaryFolder(t), 'orders.dump')
  cli.engine.onJob = dumper
  const { status, stderr } = await runRedirected('> "$FILE"', ['dump', 'orders'], { FILE: file })
  assert.equal(status, 1)
  assert.match(stderr, /^error: The output is incomplete.*file too large\n$/)
})

test('--output of a dump names the file that cannot be written', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'orders.dump')
  cli.engine.onJob = dumper
  const full = await runRedirected('', ['dump', 'orders', '--output', file])
  assert.deepEqual(full, { status: 1, stdout: '', stderr: `error: ${file} cannot be written: file too large\n` })
  cli.engine.onJob = async (job, streams) => {
    mkdirSync(file)
    return dumper(job, streams)
  }
  const folderInItsPlace = await startProcess('node', [mainPath, 'dump', 'orders', '-o', file], env).ended
  assert.equal(folderInItsPlace.status, 1)
  assert.match(folderInItsPlace.stderr, /^error: \S+orders\.dump cannot be written: [a-z ]*directory[a-z ]*\n$/)
  assert.deepEqual(readdirSync(folder), ['orders.dump'])
})

test('--output of a dump replaces only files', async (t) => {
  const folder = temporaryFolder(t)
  let hasBegun = false
  cli.engine.onJob = async (job, streams) => {
    hasBegun = true
    return dumper(job, streams)
  }
  const { status, stderr } = await cli.command(['dump', 'orders', '--output', folder])
  assert.deepEqual([status, hasBegun, existsSync(folder)], [2, false, true])
  assert.match(stderr, /^error: \S+ is not a file\n/)
})

test('a signal removes the part of a dump', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'orders.dump')
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    cli.engine.onJob = async (_job, { stdout, signal: ended }) => {
      stdout.write(dumpText)
      await once(ended, 'abort')
      return 0
    }
    const { child, ended } = startProcess('node', [mainPath, 'dump', 'orders', '--output', file], env)
    await until('the part', async () => readdirSync(folder).some((name) => name.endsWith('.part')))
    child.kill(signal)
    assert.equal((await ended).status, status)
    assert.deepEqual(readdirSync(folder), [], signal)
  }
})
