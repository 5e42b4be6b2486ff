import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localUrl } from './local-url.ts'

test('a server is reached at its own address, or at the loopback address if it listens on all', () => {
  const hosts = {
    '127.0.0.1': '127.0.0.1',
    '192.0.2.1': '192.0.2.1',
    '0.0.0.0': '127.0.0.1',
    '::': '127.0.0.1',
    '::1': '[::1]',
  }
  for (const [host, name] of Object.entries(hosts)) assert.equal(localUrl({ host, port: 80 }), `http://${name}:80`)
})
