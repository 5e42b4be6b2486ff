/** The second attempt of a test file that failed, with planted files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planted } from './planted.ts'

const FAILS_AT_FIRST = `assert.equal(attempt, 2, 'planted failure ' + attempt)`
const FAILS = `assert.fail('planted failure ' + attempt)`
const DATA_DIFFERS = `throw Object.assign(new Error('row 7 is missing'), { code: 'ERR_DATA_DIFFERS' })`

test('a file that fails every other time is unstable, and the run passes', (t) => {
  const { plant, run } = planted(t)
  plant('test/a.test.ts', FAILS_AT_FIRST)
  plant('test/b.test.ts', '')
  const { status, output } = run('all')
  assert.equal(status, 0, output)
  assert.match(
    output,
    /The first attempt of test\/a\.test\.ts failed:[\s\S]+the test in test\/a[\s\S]+planted failure 1/,
  )
  assert.match(output, /unstable: test\/a\.test\.ts failed at its first attempt and passed at its second/)
  // Tests count once.
  assert.match(output, /tests 2\n.*suites 0\n.*pass 2\n.*fail 0\n/)
})

test('a file that always fails runs twice, no slow file starts after it, and the run fails', (t) => {
  const { plant, run, log } = planted(t)
  plant('test/a.test.ts', FAILS)
  plant('test/b.test.ts', '')
  plant('test/e2e/slow.test.ts', '')
  const { status, output } = run('all')
  assert.equal(status, 1)
  assert.match(output, /planted failure 1[\s\S]+planted failure 2/)
  assert.match(output, /failed: test\/a\.test\.ts/)
  assert.match(output, /tests 2\n.*suites 0\n.*pass 1\n.*fail 1\n/)
  assert.equal(log().filter((line) => line === 'begin test/a.test.ts').length, 2)
  assert.ok(!log().includes('begin test/e2e/slow.test.ts'))
})

test('three unstable files fail the run', (t) => {
  const { plant, run } = planted(t)
  for (const name of ['a', 'b', 'c']) plant(`test/${name}.test.ts`, FAILS_AT_FIRST)
  const { status, output } = run('all')
  assert.equal(status, 1)
  assert.match(output, /the run fails because 3 files are unstable; 2 are allowed/)
  assert.match(output, /pass 3\n.*fail 0\n/)
})

test('a comparison of data that failed gets no second attempt, and nothing else does after it', (t) => {
  const { plant, run, log } = planted(t)
  plant('test/a.test.ts', FAILS_AT_FIRST)
  plant('test/b.test.ts', DATA_DIFFERS)
  const { status, output } = run('all')
  assert.equal(status, 1)
  assert.match(output, /row 7 is missing/)
  assert.match(output, /failed: test\/b\.test\.ts/)
  assert.equal(log().filter((line) => line.startsWith('begin')).length, 2)
})

test('two files are unstable: each second attempt runs alone, after the files beside the first', (t) => {
  const { plant, run, log } = planted(t)
  plant('test/a.test.ts', FAILS_AT_FIRST)
  plant('test/b.test.ts', FAILS_AT_FIRST)
  plant('test/c.test.ts', 'await new Promise((resolve) => setTimeout(resolve, 500))')
  assert.equal(run('all').status, 0)
  const names = ['a', 'b'].map((name) => `test/${name}.test.ts`)
  const last = names.flatMap((name) => [`begin ${name}`, `end ${name}`])
  assert.ok(log().indexOf('end test/c.test.ts') < log().length - last.length)
  const second = log().slice(-last.length)
  assert.deepEqual(second.toSorted(), last.toSorted())
  for (const at of [0, 2]) assert.equal(second[at]!.replace('begin', 'end'), second[at + 1])
})

test('a quick file gets its second attempt before a slow file starts', (t) => {
  const { plant, run, log } = planted(t)
  plant('test/quick.test.ts', FAILS_AT_FIRST)
  plant('test/e2e/slow.test.ts', '')
  assert.equal(run('all').status, 0)
  assert.deepEqual(
    log().filter((line) => line.startsWith('begin')),
    ['begin test/quick.test.ts', 'begin test/quick.test.ts', 'begin test/e2e/slow.test.ts'],
  )
})

test('a file that is the only one of a run has one attempt', (t) => {
  const { plant, run, log } = planted(t)
  plant('test/a.test.ts', FAILS_AT_FIRST)
  assert.equal(run('all', 'test/a.test.ts').status, 1)
  assert.deepEqual(log(), ['begin test/a.test.ts', 'end test/a.test.ts'])
})

test('a file that does not load, or whose process ends early, fails', (t) => {
  const { plant, run } = planted(t)
  plant('test/a.test.ts', 'process.exit(3)')
  plant('test/b.test.ts', '})} this is not JavaScript')
  const { status, output } = run('all')
  assert.equal(status, 1)
  assert.match(output, /failed: test\/a\.test\.ts[\s\S]+failed: test\/b\.test\.ts/)
})

test('the next run begins with the file that took longest in the last one', (t) => {
  const { plant, run, log, durations } = planted(t)
  // These files run one after another.
  const files = ['acme', 'ports', 'routing'].map((name) => `test/e2e/${name}.test.ts`)
  for (const file of files) plant(file, '')
  run('all')
  assert.deepEqual(Object.keys(durations.read()), files)
  durations.write({ [files[0]!]: 1, [files[1]!]: 9, [files[2]!]: 4 })
  const before = log().length
  run('all')
  const begun = log()
    .slice(before)
    .filter((line) => line.startsWith('begin'))
  assert.deepEqual(
    begun,
    [files[1], files[2], files[0]].map((file) => `begin ${file}`),
  )
})

test('a damaged list of durations is replaced', (t) => {
  const { plant, run, durations } = planted(t)
  plant('test/a.test.ts', '')
  plant('test/b.test.ts', '')
  durations.write('[')
  assert.equal(run('all').status, 0)
  assert.deepEqual(Object.keys(durations.read()), ['test/a.test.ts', 'test/b.test.ts'])
})
