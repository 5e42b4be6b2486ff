/** Tests splitting as a POSIX shell does without expansions. Random texts were compared with dash too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitShellWords } from './shell-words.ts'

const rows: [text: string, words: string[]][] = [
  ['', []],
  [' \t\n ', []],
  ['one', ['one']],
  ['  one\ttwo\n three ', ['one', 'two', 'three']],
  ['one\r\ntwo', ['one', 'two']],
  ['-c max_connections=200', ['-c', 'max_connections=200']],
  ["-c 'shared_buffers=1 GB'", ['-c', 'shared_buffers=1 GB']],
  ['-c "shared_buffers=1 GB"', ['-c', 'shared_buffers=1 GB']],
  ["''", ['']],
  ['a "" b', ['a', '', 'b']],
  [`a'b'"c"d`, ['abcd']],
  [`'it'\\''s'`, ["it's"]],
  [`'a\\b'`, ['a\\b']],
  [`'a"b'`, ['a"b']],
  [`"a'b"`, ["a'b"]],
  [`"\\$ \\\` \\" \\\\"`, ['$ ` " \\']],
  [`"\\a\\n\\'"`, ["\\a\\n\\'"]],
  ['"a\\\nb"', ['ab']],
  ["'a\\\nb'", ['a\\\nb']],
  ['a\\\nb', ['ab']],
  ['a \\\n b', ['a', 'b']],
  ['\\\n', []],
  ['a\\ b', ['a b']],
  ['\\\\', ['\\']],
  ['\\"\\\'', ['"\'']],
  ['"a\nb"', ['a\nb']],
  ['ünï 😀', ['ünï', '😀']],
  ['a\u00a0b', ['a\u00a0b']],
]

test('splits words as a POSIX shell does', () => {
  for (const [text, words] of rows) assert.deepEqual(splitShellWords(text), words, JSON.stringify(text))
})

test('expands nothing, and treats operators and comments as text', () => {
  const text = 'a#b #c $HOME ${x} $(id) `id` *.ts ~ a|b ; c>d & {1,2} !x'
  assert.deepEqual(splitShellWords(text), text.split(' '))
})

const faults: [text: string, message: RegExp][] = [
  ["a 'b", /unclosed single quote \('\)/],
  ['a "b', /unclosed double quote \("\)/],
  ['"a\\"', /double quote/],
  [`'a\\'b'`, /single quote/],
  ['a \\', /must not end with a backslash/],
  ['a\0b', /NUL/],
]

test('refuses a text with an unclosed quote, a backslash at its end or NUL', () => {
  for (const [text, message] of faults) assert.throws(() => splitShellWords(text), { name: 'Error', message }, text)
})

test('splits long texts in little time', () => {
  assert.equal(splitShellWords(`"${'\\a'.repeat(100_000)}"`)[0]!.length, 200_000)
  assert.equal(splitShellWords('a '.repeat(100_000)).length, 100_000)
})
