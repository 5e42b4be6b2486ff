/** The control program, run by bash against a stand-in for HAProxy's runtime API. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { type ControlAction, controlProgram, parseStatus } from './control.ts'

const header = '# pxname,svname,qcur,status,dcon,\n'
const target = `${header}target,FRONTEND,,OPEN,7,\ntarget,task1,0,DOWN,,\n\n`
const tls = (status: string) => `${header}tls,task1,0,${status},,\n\n`
const noTls = 'No such proxy.\n\n'

/** Answers as HAProxy 3.0 does, and remembers the commands. */
async function runtimeApi(t: TestContext, tlsAnswer: string) {
  const commands: string[] = []
  const answers: [command: string, answer: string][] = [
    ['prepare acl', 'New version created: 4\n\n'],
    ['show stat target', target],
    ['show stat tls', tlsAnswer],
    ['show ', '\n'],
  ]
  const server = createServer((socket) => {
    socket.once('data', (data) => {
      const asked = data.toString().trim().split(';').filter(Boolean)
      commands.push(...asked)
      const answerTo = (command: string) => answers.find(([begin]) => command.startsWith(begin))?.[1] ?? ''
      socket.end(asked.map(answerTo).join('') || '\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { commands, port: (server.address() as AddressInfo).port }
}

/** Runs the program beside a file with the text `before`. */
async function runControl(t: TestContext, action: ControlAction, lines: string[], options: Options = {}) {
  const { tlsAnswer = noTls, inputBytes, before = null } = options
  const { commands, port } = await runtimeApi(t, tlsAnswer)
  const file = join(temporaryFolder(t), 'allowed.acl')
  if (before !== null) writeFileSync(file, before)
  const { argv, stdin = '' } = controlProgram(action, lines)
  const [program = '', ...args] = [...argv.slice(0, 4), String(port), file, action]
  const child = spawn(program, args)
  child.stdin.end(stdin.slice(0, inputBytes))
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : null
  return { stdout, stderr, exitCode, commands: commands.map((it) => it.replace(file, 'FILE')), stored }
}
type Options = { tlsAnswer?: string; inputBytes?: number; before?: string }

test('stores the list as HAProxy reads it, and replaces that of HAProxy', async (t) => {
  const { exitCode, stderr, commands, stored } = await runControl(t, 'apply', ['10.0.0.0/8', '::/0'])
  assert.deepEqual([exitCode, stderr], [0, ''])
  assert.equal(stored, '10.0.0.0/8\n::/0\n')
  assert.deepEqual(commands.slice(0, 4), [
    'prepare acl FILE',
    'add acl @4 FILE 10.0.0.0/8',
    'add acl @4 FILE ::/0',
    'commit acl @4 FILE',
  ])
})

test('stores an empty list', async (t) => {
  const { exitCode, commands, stored } = await runControl(t, 'apply', [], { before: '10.0.0.0/8\n' })
  assert.deepEqual([exitCode, stored, commands.slice(0, 2)], [0, '', ['prepare acl FILE', 'commit acl @4 FILE']])
})

test('changes nothing if its input was cut off', async (t) => {
  const list = ['10.0.0.0/8', '192.0.2.7/32']
  const { length } = list.join('\n')
  for (const inputBytes of [0, 5, '10.0.0.0/8\n'.length, length, length + 1, length + 3]) {
    const { exitCode, stderr, commands, stored } = await runControl(t, 'apply', list, { inputBytes, before: '::/0\n' })
    assert.deepEqual([exitCode, commands, stored], [1, [], '::/0\n'], `${inputBytes} bytes`)
    assert.match(stderr, /incomplete/)
  }
})

const reached: [title: string, tlsAnswer: string, expected: boolean][] = [
  ['has no port for TLS', noTls, false],
  ['has a server for TLS', tls('UP'), true],
  ['has none for TLS either', tls('DOWN'), false],
]
for (const [title, tlsAnswer, expected] of reached) {
  test(`a gateway whose plain port is down, and that ${title}, has ${expected ? 'a' : 'no'} server`, async (t) => {
    const { stdout } = await runControl(t, 'status', [], { tlsAnswer })
    const { served, refused } = parseStatus(stdout)
    assert.deepEqual([served, refused], [expected ? ['tls'] : [], 7])
  })
}
