import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { until } from '../../test/engine/until.ts'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { type Log, openLog, scrub } from './log.ts'

interface Line {
  level: number
  time: string
  msg: string
  error?: { message: string; cause?: { message: string } }
}

function open(t: TestContext): { log: Log; path: string; lines: () => (Line & Record<string, unknown>)[] } {
  const path = join(temporaryFolder(t), 'log')
  // The file is made when the log opens it.
  const text = () => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  const lines = () =>
    text()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line & Record<string, unknown>)
  return { log: openLog(path), path, lines }
}

const written = (lines: () => Line[], count: number) => until('the lines', async () => lines().length >= count)

test('writes flat JSON lines with level, time and event, in order', async (t) => {
  const { log, lines } = open(t)
  log.info('one', { a: 1, b: 'two', c: null, d: undefined })
  log.warn('two')
  log.info('three')
  await written(lines, 3)
  const [one, two, three] = lines()
  assert.deepEqual({ ...one, time: '' }, { level: 30, time: '', a: 1, b: 'two', c: null, msg: 'one' })
  assert.match(one!.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual([two!.level, two!.msg, three!.msg], [40, 'two', 'three'])
})

test('text of a caller cannot end or forge a line', async (t) => {
  const { log, lines } = open(t)
  log.warn('one', { text: 'a\n{"level":50,"msg":"forged"}\u2028' })
  await written(lines, 1)
  assert.equal(lines().length, 1)
})

test('logs an error with its causes, masks secrets in their texts, and omits other properties', async (t) => {
  const { log, lines } = open(t)
  const cause = new Error('postgres://ada:hunter2@db:5432/shop refused')
  log.error('failed', Object.assign(new Error('with berth_sess_abc-DEF_123', { cause }), { secret: 'hunter2' }))
  log.error('failed', 'thrown berth_api_xyz')
  log.error('failed', 'thrown berth_invt_abc-DEF_123')
  await written(lines, 3)
  const [first, second, third] = lines()
  assert.equal(first!.level, 50)
  assert.equal(first!.error!.message, 'with berth_sess_********')
  assert.equal(first!.error!.cause!.message, 'postgres://ada:********@db:5432/shop refused')
  assert.ok(!JSON.stringify(first).includes('hunter2'))
  assert.equal(second!.error as unknown, 'thrown berth_api_********')
  assert.equal(third!.error as unknown, 'thrown berth_invt_********')
})

test('scrub does not change text without tokens and passwords', () => {
  for (const text of ['plain', 'http://example.org/a:b@c', 'berth_other_abc', 'a:b@c']) assert.equal(scrub(text), text)
})
