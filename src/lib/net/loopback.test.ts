/** Loopback addresses and names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookupWithoutLoopback, isLoopback } from './loopback.ts'

test('recognizes hosts at which a program reaches only itself', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '0.0.0.0', '[::1]', '::', 'localhost', 'a.localhost', 'localhost.'])
    assert.ok(isLoopback(host), host)
  for (const host of ['10.0.0.1', '128.0.0.1', '[fd00::1]', 'storage.example.org', 'notlocalhost'])
    assert.ok(!isLoopback(host), host)
})

test('resolves no name to a loopback address', async () => {
  const { promise, resolve } = Promise.withResolvers<Error | null>()
  lookupWithoutLoopback('localhost', { all: true }, (error) => resolve(error))
  assert.match(String(await promise), /the address of the container itself/)
})
