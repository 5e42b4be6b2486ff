/** Tests of what a terminal gets, and what a pipe gets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { outputOn } from '../../cli/terminal/output.ts'
import { endText, readableDistance, readableSize, readableTime } from '../../cli/terminal/size.ts'
import { recorder } from './recorder.ts'

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

test('a pipe gets one line for each row, also if a value has line breaks or tabs', () => {
  const { output, stdout } = outputs(false)
  const reason = 'The service fails. Its last lines:\n  at\tstart\r\n\nkilled\n'
  output.table(['name', 'reason'], [['shop/orders', reason]])
  output.fields([['reason', reason]])
  const line = 'The service fails. Its last lines: at start | killed'
  assert.equal(stdout.text, `shop/orders\t${line}\nreason\t${line}\n`)
})

test('only a terminal gets colours, and none with NO_COLOR', () => {
  assert.equal(outputs(true).output.styled('bad', 'x'), '\x1b[31mx\x1b[39m')
  assert.equal(outputs(true, 80, { NO_COLOR: '1' }).output.styled('bad', 'x'), 'x')
  assert.equal(outputs(true, 80, { TERM: 'dumb' }).output.styled('bad', 'x'), 'x')
  assert.equal(outputs(false).output.styled('bad', 'x'), 'x')
  const { output, stderr } = outputs(true)
  output.fault('wrong')
  assert.equal(stderr.text, '\x1b[31merror:\x1b[39m wrong\n')
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
  assert.deepEqual(
    times.slice(0, 3).map((at) => readableDistance(at!, now)),
    ['59 s', '2 h', '2 d'],
  )
  assert.deepEqual(
    times.slice(1, 3).map((at) => endText(at!, now)),
    ['ended 2 h ago', 'ends in 2 d'],
  )
})
