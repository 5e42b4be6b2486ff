import assert from 'node:assert/strict'
import test from 'node:test'
import type { Kind } from '../../../data/kinds.ts'
import { caFile } from './programs/address.ts'
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
    const snippets = snippetsFor(kind, addressOf(url, false))
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

/** What makes each program verify authority and name, in the order of the programs. */
const verifying: Record<Kind, RegExp[]> = {
  postgres: [
    /PGSSLMODE=verify-full/,
    /ssl: \{ ca:/,
    /sslmode="verify-full"/,
    /sslmode=verify-full/,
    /sslmode=verify-full/,
  ],
  mysql: [/VERIFY_IDENTITY/, /verifyIdentity: true/, /ssl_verify_identity=True/, /RootCAs: roots/, /VERIFY_IDENTITY/],
  mariadb: [/--ssl-verify-server-cert/, /ssl: \{ ca:/, /ssl_verify_identity=True/, /RootCAs: roots/, /verify-full/],
  mongo: [/tls=true/, /tls=true/, /tls=true/, /tls=true/, /ssl\.enabled\(true\)/],
  redis: [/--tls --cacert/, /tls: true, ca:/, /ssl_check_hostname=True/, /RootCAs: roots/, /Algorithm\("HTTPS"\)/],
}

test('each program verifies a server with TLS, and names the file of the authority', () => {
  for (const [kind, url] of Object.entries(urls) as [Kind, string][]) {
    for (const [at, { name, text }] of snippetsFor(kind, addressOf(url, true)).entries()) {
      assert.match(text, verifying[kind][at]!, `${kind} ${name}`)
      assert.ok(text.includes(caFile), `${kind} ${name}`)
    }
    for (const [at, { name, text }] of snippetsFor(kind, addressOf(url, false)).entries()) {
      assert.doesNotMatch(text, verifying[kind][at]!, `${kind} ${name}`)
      assert.ok(!text.includes(caFile), `${kind} ${name}`)
    }
  }
})

test('the program for mysql2 warns if it cannot compare the host', () => {
  const node = (host: string) => snippetsFor('mysql', addressOf(`mysql://a:b@${host}:1/c`, true))[1]!.text
  assert.match(node('192.0.2.1'), /only if the host is a name/)
  assert.match(node('[fd00::1]'), /only if the host is a name/)
  assert.doesNotMatch(node('db-1'), /only if the host is a name/)
})

test('the address of a URL is decoded', () => {
  assert.deepEqual(addressOf('postgresql://a%40b:********@[fd00::1]:5432/my%20shop', true), {
    host: 'fd00::1',
    port: 5432,
    user: 'a@b',
    database: 'my shop',
    isVerified: true,
  })
})

test('special characters cannot break a snippet', () => {
  const address = { host: 'fd00::1', port: 1, user: `o'b"r`, database: 'a b', isVerified: false }
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
