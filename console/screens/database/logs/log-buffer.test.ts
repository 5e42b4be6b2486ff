import assert from 'node:assert/strict'
import test from 'node:test'
import {
  appended,
  emptyBuffer,
  fileText,
  hitsIn,
  type Line,
  lineOf,
  maxLines,
  ofStream,
  partsOf,
  plainText,
  resumeFilter,
} from './log-buffer.ts'

const line = (key: number, text = `line ${key}`, stream: 'stdout' | 'stderr' = 'stdout'): Line => ({
  ...{ key, text, stream, at: `2026-01-01T00:00:0${key % 10}Z` },
})

test('the buffer keeps the newest lines and counts the dropped ones', () => {
  const many = Array.from({ length: maxLines }, (_, key) => line(key))
  const { lines, dropped } = appended(appended(emptyBuffer, many), [line(maxLines), line(maxLines + 1)])
  assert.equal(lines.length, maxLines)
  assert.equal(dropped, 2)
  assert.equal(lines.at(-1)?.key, maxLines + 1)
})

test('colours of terminals and control characters are left out', () => {
  assert.equal(plainText('\u001b[31mred\u001b[0m\u0007\tend'), 'red    end')
})

test('a search ignores case and marks each hit', () => {
  assert.deepEqual(hitsIn([line(1, 'an ERROR'), line(2, 'fine'), line(3, 'error')], ' error'), [0, 2])
  assert.deepEqual(hitsIn([line(1)], '  '), [])
  assert.deepEqual(partsOf('aXbxc', 'x'), [
    { text: 'a', isHit: false },
    { text: 'X', isHit: true },
    { text: 'b', isHit: false },
    { text: 'x', isHit: true },
    { text: 'c', isHit: false },
  ])
  assert.deepEqual(partsOf('', 'x'), [{ text: '', isHit: false }])
})

test('one stream can be shown alone', () => {
  assert.deepEqual(
    ofStream([line(1), line(2, 'b', 'stderr')], 'stderr').map(({ key }) => key),
    [2],
  )
})

test('a file has the time, the stream and the text of each line', () => {
  assert.equal(fileText([line(1, 'a')]), '2026-01-01T00:00:01Z stdout a\n')
})

test('after a lost connection, repeated lines are left out', () => {
  const isNew = resumeFilter([line(1, 'a'), line(2, 'b'), { ...line(2, 'c'), key: 3 }])
  const sent = ['1', '2', '2', '2', '3'].map((second) => ({
    ...{ at: `2026-01-01T00:00:0${second}Z`, stream: 'stdout' as const, line: second },
  }))
  assert.deepEqual(sent.map(isNew), [false, false, false, true, true])
  assert.equal(lineOf(1, sent[0]!).text, '1')
})
