import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskerOf, pieceMaskerOf } from './mask.ts'

const table: [secrets: string[], text: string, masked: string][] = [
  [[], 'nothing to mask', 'nothing to mask'],
  [[''], 'an empty secret is ignored', 'an empty secret is ignored'],
  [['s3cret'], 'a s3cret and s3crets, not S3CRET', 'a ******** and ********s, not S3CRET'],
  [['pass', 'password'], 'password pass', '******** ********'],
  [['a b/c@d'], 'postgresql://u:a%20b%2Fc%40d@host', 'postgresql://u:********@host'],
  [["it's (so)"], "it's (so) it%27s%20%28so%29 'it''s (so)'", "******** ******** '********'"],
  [['say "hi"\\'], '{"password":"say \\"hi\\"\\\\"}', '{"password":"********"}'],
  [['$&', '*'], 'a $& b * c', 'a ******** b ******** c'],
  [['a.c|x'], 'abc a.c|x', 'abc ********'],
  [['half \ud800'], 'half \ud800', '********'],
]

for (const [secrets, text, masked] of table) {
  test(`masks ${JSON.stringify(secrets)} in: ${text}`, () => assert.equal(maskerOf(secrets)(text), masked))
}

const pieces: [secrets: string[], pieces: string[], passed: string[]][] = [
  [[], ['a', 'b'], ['a', 'b', '']],
  [['secret'], ['no part', ' of it'], ['no part', ' of it', '']],
  [['secret'], ['is sec', 'ret.'], ['is ', '********.', '']],
  [['secret'], ['s', 'e', 'c', 'r', 'e', 't'], ['', '', '', '', '', '********', '']],
  [['secret'], ['sec', 'tor'], ['', 'sector', '']],
  [['secret'], ['is sec'], ['is ', 'sec']],
  [['secret'], ['secretsec', 'ret'], ['********', '********', '']],
  // The end of a whole secret is not the begin of another one.
  [['aba'], ['aba', 'ba'], ['********', 'b', 'a']],
  // The longer of two secrets that begin alike counts.
  [
    ['ab', 'abcd'],
    ['ab', 'cd', 'ab', 'x'],
    ['', '********', '', '********x', ''],
  ],
  [['ab', 'abcd'], ['ab'], ['', '********']],
  [
    ['bc', 'abcd'],
    ['abc', 'x'],
    ['', 'a********x', ''],
  ],
  // In the form of a URL.
  [['a b'], ['a%', '20', 'b'], ['', '', '********', '']],
]

for (const [secrets, given, passed] of pieces) {
  test(`masks ${JSON.stringify(secrets)} in the pieces ${JSON.stringify(given)}`, () => {
    const masker = pieceMaskerOf(secrets)
    assert.deepEqual([...given.map((piece) => masker.next(piece)), masker.rest()], passed)
  })
}
