/** The script ./berth: which commands it passes to the command line, and how. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { bareEnv } from './fixtures/bare-env.ts'
import { temporaryFolder } from './fixtures/folder.ts'

const script = join(import.meta.dirname, '../berth')

function start(args: string[], env: Record<string, string> = {}, cwd = '/', program = script) {
  const child = spawn(program, args, {
    cwd,
    env: bareEnv({ HOME: '/nowhere', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const result = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    result.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    result.err += chunk
  })
  const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, ...result }))
  return { child, ended }
}

const run = (...args: string[]) => start(args).ended

test('the help lists every command of the command line, and what only the source tree has', async () => {
  const { status, out } = await run('help')
  assert.equal(status, 0)
  assert.deepEqual(
    [await run(), await run('--help')],
    [
      { status, out, err: '' },
      { status, out, err: '' },
    ],
  )
  const { out: commandLine } = await run('ls', '--help').then(() => run('--json', '--help'))
  const names = [...commandLine.split('Examples:')[0]!.matchAll(/^ {2}([a-z]+)(?=[ |])/gm)].map(([, name]) => name!)
  assert.ok(names.length > 20, commandLine)
  const isListed = (name: string) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(out)
  assert.deepEqual(
    names.filter((name) => name !== 'help' && !isListed(name)),
    [],
  )
  for (const name of ['up', 'state', 'key', 'admin', 'test', 'bench', 'images', 'client', 'release']) {
    assert.match(out, new RegExp(`^  ${name} `, 'm'))
  }
})

test('the help names the command as a shell takes it, if its path has spaces and other signs', async (t) => {
  const link = join(temporaryFolder(t), 'the apps of R&D | ü')
  symlinkSync(script, link)
  const { status, out } = await start(['help'], {}, '/', link).ended
  assert.deepEqual([status, out.split('\n')[0]!.endsWith(`Usage: '${link}' COMMAND`)], [0, true], out)
})

test('each command describes itself', async () => {
  for (const [args, text] of [
    [['up', '--help'], /BERTH_PORT/],
    [['help', 'up'], /BERTH_PORT/],
    [['help', 'state'], /Usage: berth state /],
    [['state', 'help'], /berth state backup FILE/],
    [['state', 'schedule', '--help'], /Usage: berth state schedule/],
    [['help', 'deploy'], /Usage: berth deploy/],
  ] as const) {
    const { status, out } = await run(...args)
    assert.deepEqual([status, text.test(out)], [0, true], args.join(' '))
  }
})

test('an unknown command suggests the nearest and ends with 2', async () => {
  const { status, err } = await run('deplyo')
  assert.deepEqual([status, /Did you mean deploy\?/.test(err)], [2, true], err)
})

test('install and upgrade name the command that builds a release', async () => {
  const { status, err } = await run('install')
  assert.deepEqual([status, /belongs to a release/.test(err)], [1, true], err)
})

test('arguments with spaces and relative file names mean what they mean to the caller', async (t) => {
  const folder = temporaryFolder(t)
  const login = ['login', 'https://127.0.0.1:9', '--email', 'a b', '--ca']
  const inFolder = (name: string) => start([...login, name], { BERTH_PASSWORD: 'x' }, folder).ended
  const missing = await inFolder('my authority.pem')
  assert.deepEqual([missing.status, missing.err.includes('my authority.pem cannot be read')], [2, true], missing.err)
  writeFileSync(join(folder, 'my authority.pem'), '')
  const { err } = await inFolder('my authority.pem')
  assert.doesNotMatch(err, /cannot be read/)
})

test('Ctrl-C reaches the command, which ends itself', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { child, ended } = start(['events'], { BERTH_URL: `http://127.0.0.1:${port}`, BERTH_TOKEN: 'x' })
  await once(server, 'request')
  child.kill('SIGINT')
  const { status, err } = await ended
  assert.notEqual(status, null, `a signal ended the command: ${err}`)
})
