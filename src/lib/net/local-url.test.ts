import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopbackOnly, localUrl } from './local-url.ts'

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

test('only loopback addresses are reached from this machine alone', () => {
  const hosts = {
    '127.0.0.1': true,
    '127.9.9.9': true,
    '::1': true,
    '0:0:0:0:0:0:0:1': true,
    localhost: true,
    '0.0.0.0': false,
    '::': false,
    '::ffff:127.0.0.1': false,
    '192.0.2.1': false,
    db1: false,
  }
  for (const [host, expected] of Object.entries(hosts)) assert.equal(isLoopbackOnly(host), expected, host)
})
