/** A shell reads each quoted text as the same text. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { quotedWord, shellLine, shellWord } from './shell-word.ts'

const texts = [
  '',
  'shop/orders',
  'two words',
  "it's",
  "'",
  '"quoted"',
  '$HOME ${HOME} $(id)',
  '`id`',
  'wow!',
  '!!',
  '-rf',
  '--',
  'two\nlines\n',
  '\ttab',
  'a\\b\\',
  '~',
  '=ls',
  'a=b',
  '*?[a]{b,c}',
  '; rm & | < > # (x)',
  'ünder',
]

const readBy = (shell: string, line: string) =>
  execFileSync(shell, ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

test('a shell reads the words as they are', () => {
  for (const shell of ['sh', 'bash']) {
    assert.deepEqual(readBy(shell, texts.map(shellWord).join(' ')), texts)
    assert.deepEqual(readBy(shell, texts.map(quotedWord).join(' ')), texts)
  }
})

test('a word has quotes only if a shell would change it', () => {
  const words = ['shop/orders', 'a=b', 'x:1@sha', '=ls', 'bad name!', "it's", '$HOME', 'ünder', '']
  const expected = ['shop/orders', 'a=b', 'x:1@sha', "'=ls'", "'bad name!'", "'it'\\''s'", "'$HOME'", "'ünder'", "''"]
  assert.deepEqual(words.map(shellWord), expected)
})

test('a line has no text that a program reads as an option', () => {
  const rows: [line: string, expected: string][] = [
    [shellLine`berth up`, 'berth up'],
    [shellLine`berth rm ${'my shop/a'}${['--delete-data']}`, "berth rm 'my shop/a' --delete-data"],
    [shellLine`berth rm ${'a'}${[]}`, 'berth rm a'],
    [shellLine`berth rm ${'-a'}${['--delete-data']}`, 'berth rm --delete-data -- -a'],
    [shellLine`berth project rename ${'a'} ${'-b'}`, 'berth project rename -- a -b'],
    [shellLine`berth set ${'a'} --port ${15432} --no-deploy`, 'berth set a --port 15432 --no-deploy'],
    [shellLine`berth set ${'a'} --command ${'-c x=1'}`, "berth set a --command='-c x=1'"],
    [shellLine`berth create redis ${'-a'} --project ${'-b'}`, 'berth create redis --project=-b -- -a'],
  ]
  for (const [line, expected] of rows) assert.equal(line, expected)
})
