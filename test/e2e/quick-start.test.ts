/**
 * The quick start of README.md, in a terminal: `./berth up`, then the commands of "From nothing to psql" as they stand
 * there. They must lead to a database that answers psql. The test changes only the two port numbers.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { freePort } from '../fixtures/free-port.ts'
import { docker, dockerHost, removeAll } from './swarm.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The commands of the first block of code after a heading, without comments. */
function commandsAfter(heading: string): string[] {
  const [, block] = /```sh\n(.*?)```/s.exec(readme.slice(readme.indexOf(`\n${heading}\n`)))!
  return block!.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** A command in a terminal of its own. What it prints is recorded as a person would see it. */
function terminal(command: string, env: NodeJS.ProcessEnv) {
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: root,
    env: { ...env, TERM: 'xterm', SHELL: '/bin/sh' },
  })
  const ended = once(child, 'close').then(([status]) => status as number)
  const recorded = { text: '' }
  child.stdout.on('data', (chunk) => {
    recorded.text += chunk
  })
  const shows = (text: RegExp) =>
    until(`${command}: ${text}`, async () => text.test(recorded.text) || fail(child.exitCode), 120_000)
  const fail = (status: number | null) => {
    if (status !== null) throw new Error(`${command} ended with ${status}: ${recorded.text}`)
    return false
  }
  return { ended, shows, type: (text: string) => child.stdin.write(text), recorded, kill: () => child.kill() }
}

test('from ./berth up it takes at most six commands to a database that answers psql', async () => {
  await using end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  const [apiPort, databasePort] = [await freePort(), await freePort()]
  const env = {
    ...process.env,
    HOME: folder,
    BERTH_PROXY: 'off',
    BERTH_PORT: String(apiPort),
    PATH: await withPsql(folder),
  }
  const [up] = commandsAfter('## Quick start')
  const commands = commandsAfter('### From nothing to psql')
  assert.ok(commands.length <= 6 && commands.at(-1)!.startsWith('psql '), commands.join('\n'))

  const server = terminal(up!, env)
  end.defer(async () => {
    const label = '{{index .Spec.Labels "berth.installation"}}'
    const ids = await docker('service', 'inspect', '--format', label, 'shop-orders').catch(() => [])
    for (const id of ids) await removeAll(id)
  })
  end.defer(async () => {
    server.type('\x03')
    await server.ended
  })
  await server.shows(new RegExp(`http://127\\.0\\.0\\.1:${apiPort}`))

  const last = { text: '' }
  for (const command of commands) {
    const here = command.replace('3000', String(apiPort)).replace('15432', String(databasePort))
    const shell = terminal(here, env)
    if (command.includes(' login ')) await signIn(shell)
    assert.equal(await shell.ended, 0, `${here}\n${shell.recorded.text}`)
    last.text = shell.recorded.text
  }
  assert.match(last.text, /PostgreSQL 17\./)
})

async function signIn({ shows, type }: ReturnType<typeof terminal>) {
  await shows(/E-mail: $/)
  type('you@example.org\r')
  for (const question of [/Password: $/, /Repeat: $/]) {
    await shows(question)
    type('correct horse battery staple\r')
  }
}

/** The path with a `psql` in front that runs the program in the database's image, for machines without PostgreSQL. */
async function withPsql(folder: string): Promise<string> {
  const path = join(folder, 'psql')
  const run = `docker --host ${dockerHost} run --rm --network host --entrypoint psql postgres:17`
  writeFileSync(path, `#!/bin/sh\nexec ${run} "$@"\n`)
  chmodSync(path, 0o755)
  return `${folder}:${process.env.PATH}`
}
