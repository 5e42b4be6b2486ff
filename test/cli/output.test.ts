/** Tests of what a terminal gets, and what a pipe gets. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { outputOn } from '../../cli/terminal/output.ts'
import { readableSize, readableTime } from '../../cli/terminal/size.ts'

/** A stream that keeps what is written to it. */
function recorder(isTTY: boolean, columns: number) {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.text += String(chunk)
      done()
    },
  })
  const written = Object.assign(stream, { text: '', isTTY, columns })
  return written
}

function outputs(isTTY: boolean, columns = 40, env: NodeJS.ProcessEnv = {}) {
  const [stdout, stderr] = [recorder(isTTY, columns), recorder(isTTY, columns)]
  return { output: outputOn({ stdout, stderr }, env), stdout, stderr }
}

const rows = [
  ['shop/orders', '-'],
  ['shop/cache', 'the server ended with the status 137 because of too little memory'],
]

test('a terminal gets a table with headings, and sentences are broken to its width', () => {
  const { output, stdout } = outputs(true)
  output.table(['name', 'reason'], rows)
  const lines = stripVTControlCharacters(stdout.text).split('\n')
  assert.deepEqual(lines, [
    'NAME         REASON',
    'shop/orders  -',
    'shop/cache   the server ended with the',
    '             status 137 because of too',
    '             little memory',
    '',
  ])
})

test('remarks and errors name the program as the person called it', () => {
  const { output, stderr } = outputs(false, 40, { BERTH_COMMAND: './berth' })
  output.remark('Sign in: berth login URL, for example berth login http://127.0.0.1:3000')
  output.remark('berth ls lists all databases. The network berth has 2 of them')
  output.fault('Name the new node: --node HOST (berth node ls)')
  assert.deepEqual(stderr.text.split('\n'), [
    'Sign in: ./berth login URL, for example ./berth login http://127.0.0.1:3000',
    './berth ls lists all databases. The network berth has 2 of them',
    'error: Name the new node: --node HOST (./berth node ls)',
    '',
  ])
})

test('ids are never cut off, even if the line is too long for the terminal', () => {
  const { output, stdout } = outputs(true, 20)
  output.table(['id'], [['01a20dc7-d3e9-7000-aed8-9916d9b8edde']])
  assert.match(stdout.text, /01a20dc7-d3e9-7000-aed8-9916d9b8edde/)
})

test('a pipe gets lines with tabs and no headings', () => {
  const { output, stdout } = outputs(false)
  output.table(['name', 'reason'], rows)
  output.fields([
    ['name', 'shop/orders'],
    ['reason', null],
  ])
  assert.equal(stdout.text, `${rows.map((row) => row.join('\t')).join('\n')}\nname\tshop/orders\n`)
})

test('only a terminal gets colours, and none with NO_COLOR', () => {
  const styled = (isTTY: boolean, env: NodeJS.ProcessEnv = {}) => {
    const { output, stdout } = outputs(isTTY, 80, env)
    output.line(`a ${output.styled('bad', 'x')} ${output.styled('good', 'y')}`)
    output.fields([['n', output.styled('busy', 'z')]])
    return stdout.text
  }
  const colours = 'a \x1b[31mx\x1b[39m \x1b[32my\x1b[39m\n\x1b[2mn\x1b[22m  \x1b[33mz\x1b[39m\n'
  assert.equal(styled(true), colours)
  assert.equal(styled(true, { NO_COLOR: '1' }), 'a x y\nn  z\n')
  assert.equal(styled(true, { TERM: 'dumb' }), 'a x y\nn  z\n')
  assert.equal(styled(false), 'a x y\nn\tz\n')
  const { output, stderr } = outputs(true)
  output.fault('wrong')
  assert.equal(stderr.text, '\x1b[31merror:\x1b[39m wrong\n')
})

/** Moves the cursor, sets a title, erases, in C0 and C1, rings, and reverses the direction of text. */
const evil = 'a\x1b[2Jb\x1b]0;t\x07c\x9b31md\re\x7ff\u202eg\u2066h\0i'
const evilShown = 'a\\u001b[2Jb\\u001b]0;t\\u0007c\\u009b31md\\u000de\\u007ff\\u202eg\\u2066h\\u0000i'

test('a terminal gets no control characters of a server, in any form of output', () => {
  const { output, stdout, stderr } = outputs(true, 1000, { NO_COLOR: '1' })
  output.line(evil)
  output.table([evil], [[evil]])
  output.fields([[evil, evil]])
  output.line(output.styled('bad', evil))
  output.json({ text: evil })
  assert.ok(stdout.text.startsWith(`${evilShown}\n`))
  output.remark(evil)
  output.fault(evil)
  assert.equal(stderr.text, `${evilShown}\nerror: ${evilShown}\n`)
  output.progress().show(`x\n${evil}`, 1)
  assert.equal(stderr.text.split('\n').at(-1), `\r\x1b[Kx ${evilShown} (1 s)`)
  assert.doesNotMatch(stdout.text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
})

test('a terminal gets the colours of the command line, and not those of a server', () => {
  const { output, stdout } = outputs(true)
  output.line(`${output.styled('bad', `x\x1b[32m`)} \x1b[31my`)
  output.table(['n'], [[`${output.styled('good', 'é\x1b[0m')}`]])
  const [first, , third] = stdout.text.split('\n')
  assert.equal(first, '\x1b[31mx\\u001b[32m\x1b[39m \\u001b[31my')
  assert.equal(third, '\x1b[32mé\\u001b[0m\x1b[39m')
})

test('JSON on a terminal keeps its value, and text keeps tabs, letters of all languages and line ends', () => {
  const { output, stdout } = outputs(true)
  output.json({ text: evil })
  assert.deepEqual(JSON.parse(stdout.text), { text: evil })
  const rest = outputs(true)
  rest.output.line('a\tשלום 😀\r\nb\r')
  assert.equal(rest.stdout.text, 'a\tשלום 😀\nb\n')
})

test('a pipe gets every character as it is', () => {
  const { output, stdout, stderr } = outputs(false)
  output.line(evil)
  output.table(['n'], [[evil]])
  output.remark(evil)
  assert.equal(stdout.text, `${evil}\n${evil}\n`)
  assert.equal(stderr.text, `${evil}\n`)
})

test('progress is one line that is redrawn on a terminal, and each new text elsewhere', () => {
  for (const [isTTY, expected] of [
    [true, '\r\x1b[Kdeploy (1 s)\r\x1b[Kdeploy: rollback (2 s)\r\x1b[K'],
    [false, 'deploy\ndeploy: rollback\n'],
  ] as const) {
    const { output, stderr } = outputs(isTTY)
    const line = output.progress()
    line.show('deploy', 1)
    if (!isTTY) line.show('deploy', 1.5)
    line.show('deploy: rollback', 2)
    line.end()
    assert.equal(stderr.text, expected)
  }
})

test('sizes and times are written for people', () => {
  assert.deepEqual([0, 1023, 1024, 1536, 150 * 1024 ** 2, 3 * 1024 ** 5].map(readableSize), [
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 KiB',
    '150 MiB',
    '3072 TiB',
  ])
  const now = Date.parse('2030-01-31T12:00:00Z')
  const times = ['2030-01-31T11:59:01Z', '2030-01-31T10:00:00Z', '2030-02-02T12:00:00Z', null]
  assert.deepEqual(
    times.map((at) => readableTime(at, now)),
    ['59 s ago', '2 h ago', 'in 2 d', '-'],
  )
})
