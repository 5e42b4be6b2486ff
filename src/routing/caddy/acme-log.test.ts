/** Parsing of ACME log lines that Caddy 2.11 wrote for failed and for successful orders, and paths of certificates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acmeStates, authorityFolder, storedPaths } from './acme-log.ts'

const line = (ts: number, msg: string, more: object, logger = 'tls.obtain') =>
  JSON.stringify({ level: 'error', ts, logger, msg, ...more })
const refused =
  'registering account [mailto:ops@example.org] with server: provisioning client: performing request: ' +
  'Get "https://127.0.0.1:1/dir": dial tcp 127.0.0.1:1: connect: connection refused'
const lines = [
  line(1795317721.25314, 'acquiring lock', { level: 'info', identifier: 'b.example' }),
  line(1795317721.7664542, 'could not get certificate from issuer', {
    identifier: 'b.example',
    issuer: '127.0.0.1:1-dir',
    error: refused,
  }),
  line(1795317721.7665434, 'will retry', {
    error: `[b.example] Obtain: ${refused}`,
    attempt: 1,
    retrying_in: 60,
    elapsed: 0.512663258,
    max_duration: 2592000,
  }),
]

test('returns the reason of a failure and the time of the next attempt', () => {
  assert.deepEqual(acmeStates(lines.slice(0, 2).join('\n')).get('b.example'), {
    at: new Date(1795317721766),
    error: refused,
    nextTryAt: null,
  })
  assert.deepEqual(
    [...acmeStates(lines.join('\n'))],
    [['b.example', { at: new Date(1795317721767), error: refused, nextTryAt: new Date(1795317781767) }]],
  )
})

test('clears a failure after a success, and reports a failed renewal', () => {
  const good = line(1795317925.2932582, 'certificate obtained successfully', { identifier: 'b.example' })
  const worse = line(1795317999, 'will retry', { error: '[b.example] Renew: no', retrying_in: 3600 }, 'tls.renew')
  assert.deepEqual(acmeStates([...lines, good].join('\n')).get('b.example'), {
    at: new Date(1795317925293),
    error: null,
    nextTryAt: null,
  })
  assert.deepEqual(acmeStates([...lines, good, worse, ''].join('\n')).get('b.example'), {
    at: new Date(1795317999000),
    error: 'no',
    nextTryAt: new Date(1795321599000),
  })
})

test('ignores canceled orders, lines of other loggers and incomplete lines', () => {
  const interrupted = line(1795317722, 'will retry', { error: '[b.example] Obtain: context canceled', retrying_in: 60 })
  const foreign = line(1, 'x', { identifier: 'b.example', error: 'y' }, 'tls.cache')
  assert.equal(acmeStates([interrupted, foreign, 'caddy: text', '{}', lines[2]!.slice(0, 80)].join('\n')).size, 0)
})

test('finds certificates where certmagic stores them', () => {
  assert.deepEqual(storedPaths('*.A.example'), {
    authorities: 'certificates',
    chain: 'wildcard_.a.example/wildcard_.a.example.crt',
    key: 'wildcard_.a.example/wildcard_.a.example.key',
  })
  const folders: Record<string, string> = {
    'https://acme-v02.api.letsencrypt.org/directory': 'acme-v02.api.letsencrypt.org-directory',
    'https://CA.example:14000/Dir/': 'ca.example-14000-dir',
    'https://ca.example/a/b%20c?x': 'ca.example-a-b_c',
    'https://ca.example': 'ca.example',
  }
  for (const [directory, folder] of Object.entries(folders)) assert.equal(authorityFolder(directory), folder)
})
