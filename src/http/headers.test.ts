import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../errors.ts'
import { entityTagsOf, listOf, waitOf } from './headers.ts'

test('parses Prefer: wait according to RFC 7240', () => {
  const cases: [string | undefined, number][] = [
    [undefined, 0],
    ['', 0],
    ['wait=10', 10],
    ['WAIT=10', 10],
    ['Wait = 10', 10],
    ['wait="10"', 10],
    ['respond-async, wait=10', 10],
    ['respond-async,wait=10;foo=bar', 10],
    ['foo="a, wait=5", wait=10', 10],
    ['foo="a\\", wait=5", wait=10', 10],
    ['wait=10; foo="x"', 10],
    ['wait=0', 0],
    ['wait=600', 600],
    ['wait=601', 600],
    ['wait=99999999999999999999', 600],
    ['wait=10, wait=20', 10],
    ['return=minimal', 0],
    ['waiting=10', 0],
    ['wait', 0],
    ['wait=', 0],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['wait=ten', 0],
    ['wait=1e3', 0],
    ['wait="10', 0],
    ['wait=10 20', 0],
    ['wait=ten, wait=10', 0],
    [`${'x, '.repeat(400)}wait=10`, 0],
  ]
  for (const [header, seconds] of cases) assert.equal(waitOf(header), seconds, `Prefer: ${header}`)
})

test('a list of names is percent-encoded and has a maximum length', () => {
  const cases: [string[], string][] = [
    [['a'], 'a'],
    [['a', 'bC-_.9'], 'a, bC-_.9'],
    [['a,b', 'a b', 'ü', 'x\r\nSet-Cookie: y'], 'a%2Cb, a%20b, %C3%BC, x%0D%0ASet-Cookie%3A%20y'],
    [['', '%'], '"", %25'],
    [['\ud800'], '%EF%BF%BD'],
    [['__proto__'], '__proto__'],
    [Array.from({ length: 25 }, (_, i) => `f${i}`), `${Array.from({ length: 20 }, (_, i) => `f${i}`).join(', ')}, ...`],
    [['ok', 'x'.repeat(5000)], 'ok, ...'],
  ]
  for (const [names, text] of cases) assert.equal(listOf(names), text)
})

test('parses If-Match according to RFC 9110', () => {
  const cases: [string | undefined, string[] | '*' | null][] = [
    [undefined, null],
    ['*', '*'],
    [' * ', '*'],
    ['"a"', ['a']],
    ['"a", "b"', ['a', 'b']],
    ['"a","b" ,"c"', ['a', 'b', 'c']],
    ['"W/a"', ['W/a']],
    ['"!#$%&\'()+-./:;<=>?@[]^_`{|}~"', ["!#$%&'()+-./:;<=>?@[]^_`{|}~"]],
  ]
  for (const [header, tags] of cases) assert.deepEqual(entityTagsOf(header), tags, `If-Match: ${header}`)
})

test('refuses a malformed If-Match and weak tags, and names the header', () => {
  const malformed = [
    '',
    ' ',
    'a',
    '"a',
    'a"',
    '""',
    '"a" "b"',
    '"a",',
    ',"a"',
    '"a b"',
    '"ü"',
    '"a", *',
    '*, "a"',
    "'a'",
  ]
  for (const header of [...malformed, 'W/"a"', '"a", W/"b"', `"${'x'.repeat(256)}"`]) {
    assert.throws(
      () => entityTagsOf(header),
      (error) => error instanceof Refusal && error.code === 'BAD_REQUEST' && error.issues[0]?.path === 'If-Match',
      header,
    )
  }
})
