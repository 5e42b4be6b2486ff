import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskerOf } from './mask.ts'

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
