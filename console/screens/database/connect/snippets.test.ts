import assert from 'node:assert/strict'
import test from 'node:test'
import type { Kind } from '../../../data/kinds.ts'
import { addressOf, maskedUrl, snippetsFor } from './snippets.ts'

const urls: Record<Kind, string> = {
  postgres: 'postgresql://ada:s3cret@db-1:15432/orders',
  mysql: 'mysql://ada:s3cret@db-1:15432/orders',
  mariadb: 'mysql://ada:s3cret@db-1:15432/orders',
  mongo: 'mongodb://ada:s3cret@db-1:15432/?authSource=admin',
  redis: 'redis://default:s3cret@db-1:15432',
}

test('each snippet has the real address, and the password from the environment or a prompt', () => {
  for (const [kind, url] of Object.entries(urls) as [Kind, string][]) {
    const snippets = snippetsFor(kind, addressOf(url))
    assert.equal(snippets.length, 5, kind)
    for (const { name, text } of snippets) {
      const where = `${kind} ${name}`
      assert.match(text, /db-1/, where)
      assert.match(text, /15432/, where)
      if (kind !== 'redis') assert.match(text, /ada/, where)
      if (/sql|maria/.test(kind) || kind === 'postgres') assert.match(text, /orders/, where)
      assert.match(text, /DATABASE_PASSWORD|asks for the password/, where)
      assert.doesNotMatch(text, /s3cret/, where)
    }
  }
})

test('the address of a URL is decoded', () => {
  assert.deepEqual(addressOf('postgresql://a%40b:********@[fd00::1]:5432/my%20shop'), {
    host: 'fd00::1',
    port: 5432,
    user: 'a@b',
    database: 'my shop',
  })
})

test('special characters cannot break a snippet', () => {
  const address = { host: 'fd00::1', port: 1, user: `o'b"r`, database: 'a b' }
  const [psql, node, , go, java] = snippetsFor('postgres', address).map(({ text }) => text)
  assert.match(psql!, /-h fd00::1 -p 1 -U 'o'\\''b"r' -d 'a b'/)
  assert.match(node!, /user: "o'b\\"r"/)
  assert.match(go!, /"\[fd00::1\]:1"/)
  assert.match(java!, /jdbc:postgresql:\/\/\[fd00::1\]:1\/a%20b/)
})

test('a masked URL shows no password', () => {
  assert.equal(maskedUrl(urls.redis), 'redis://default:********@db-1:15432')
  assert.equal(maskedUrl('postgresql://a:********@h:1/d'), 'postgresql://a:********@h:1/d')
})
