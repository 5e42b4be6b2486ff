/** `./berth test stress`, with planted files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planted } from './planted.ts'

test('prints for each test how often it failed, with the first output', (t) => {
  const { plant, run } = planted(t)
  plant(
    'test/a.test.ts',
    `await test('is even', () => assert.notEqual(attempt % 2, 1, 'attempt ' + attempt + ' is odd'))
     await test('is a number', () => assert.ok(attempt))`,
  )
  const { status, output } = run('stress', 'test/a.test.ts', '--times', '4', '--load', '1')
  assert.equal(status, 1)
  assert.match(output, /1 of 4: failed after \d+ s\n2 of 4: passed/)
  assert.match(output, / 2 of 4 {2}the test in test\/a\.test\.ts > is even\n/)
  assert.match(output, / 0 of 4 {2}the test in test\/a\.test\.ts > is a number\n/)
  assert.match(output, /Repetition 1:\n[\s\S]+attempt 1 is odd/)
  assert.doesNotMatch(output, /attempt 3 is odd/)
})

test('passes if no test failed', (t) => {
  const { plant, run, log } = planted(t)
  plant('test/a.test.ts', '')
  assert.equal(run('stress', 'test/a.test.ts', '--times', '3', '--load', '0').status, 0)
  assert.equal(log().length, 6)
})

test('refuses wrong arguments and says what is right', (t) => {
  const { plant, run, log } = planted(t)
  plant('test/a.test.ts', '')
  plant('test/b.test.ts', '')
  const cases: [string[], RegExp][] = [
    [['stress'], /stress needs a test file: .+stress FILE \[--times 20\] \[--load 4\]/],
    [['stress', 'test/none.test.ts'], /no test file of scope 'stress' matches test\/none\.test\.ts/],
    [['stress', 'test/*.test.ts'], /stress repeats one file, but 2 files match/],
    [['stress', 'test/a.test.ts', '--times', '0'], /--times needs a whole number from 1 to 1000, not '0'/],
    [['stress', 'test/a.test.ts', '--load', 'much'], /--load needs a whole number from 0 to 1000, not 'much'/],
    [['stress', 'test/a.test.ts', '--fast'], /Unknown option '--fast'/],
    [['all', '--times', '3'], /--times belongs to/],
  ]
  for (const [args, message] of cases) {
    const { status, output } = run(...args)
    assert.equal(status, 1)
    assert.match(output, message)
  }
  assert.deepEqual(log(), [''])
})
