/** Join commands and join tokens of the swarm. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startNodesBerth } from './cluster.ts'

interface Join {
  command: string
  token: string
  address: string
  version: string
}

// These tests wait for turns of loops, so they run concurrently.
describe('join commands and tokens', { concurrency: true }, () => {
  test('returns a join token and an address, and another token after a rotation', async () => {
    await using testBerth = await startNodesBerth()
    const worker = await testBerth.ok<Join>('cluster.addWorker')
    const manager = await testBerth.ok<Join>('cluster.addManager')
    for (const { command, token, address, version } of [worker, manager]) {
      assert.equal(command, `docker swarm join --token ${token} 192.0.2.10:2377`)
      assert.deepEqual([address, version], ['192.0.2.10:2377', '20.10.0'])
    }
    assert.notEqual(worker.token, manager.token)
    const rotated = await testBerth.ok<Join>('cluster.rotateTokens', { role: 'worker' })
    assert.notEqual(rotated.token, worker.token)
    assert.deepEqual(await testBerth.ok('cluster.addWorker'), rotated)
    assert.deepEqual(await testBerth.ok('cluster.addManager'), manager)
    assert.notEqual((await testBerth.ok<Join>('cluster.rotateTokens', { role: 'manager' })).token, manager.token)
    await testBerth.refused('BAD_REQUEST', 'cluster.rotateTokens', { role: 'leader' }, 'role')
    await testBerth.refused('BAD_REQUEST', 'cluster.rotateTokens', {}, 'role')
  })

  test('puts an IPv6 address in brackets', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.setNode('node1', { address: '2001:db8::1' })
    const { command, token, address } = await testBerth.ok<Join>('cluster.addWorker')
    assert.equal(address, '[2001:db8::1]:2377')
    assert.equal(command, `docker swarm join --token ${token} ${address}`)
  })

  test('keeps tokens out of the store, the log and the audit log', async () => {
    await using testBerth = await startNodesBerth()
    const tokens = [await testBerth.ok<Join>('cluster.addWorker'), await testBerth.ok<Join>('cluster.addManager')]
    const idempotencyKey = { 'idempotency-key': 'rotation' }
    const rotated = await testBerth.ok<Join>('cluster.rotateTokens', { role: 'worker' }, idempotencyKey)
    const rotations = testBerth.engine.calls.rotateToken
    // A restart begins a new log: keep the log of the process that answered.
    const logBeforeRestart = JSON.stringify(testBerth.logged)
    assert.ok(logBeforeRestart.includes('cluster.rotateTokens'), 'the log contains the call')
    await testBerth.restart()
    assert.deepEqual(await testBerth.ok('cluster.rotateTokens', { role: 'worker' }, idempotencyKey), rotated)
    assert.equal(testBerth.engine.calls.rotateToken, rotations)
    const [entry] = (await testBerth.ok<{ operation: string; record: string | null }[]>('audit.all')).filter(
      ({ operation }) => operation === 'cluster.rotateTokens',
    )
    assert.equal(entry?.record, null)
    const files = readdirSync(testBerth.folder)
      .filter((name) => name.startsWith('berth.db'))
      .map((name) => join(testBerth.folder, name))
    for (const { token } of [...tokens, rotated]) {
      assert.ok(files.every((path) => !readFileSync(path).includes(token)))
      for (const log of [logBeforeRestart, JSON.stringify(testBerth.logged)]) assert.ok(!log.includes(token))
    }
  })

  test('rotates no token without the engine, and records no success', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.setDown(true)
    const { status } = await testBerth.call('cluster.rotateTokens', { role: 'worker' })
    assert.equal(status, 503)
    testBerth.engine.setDown(false)
    assert.ok(
      (await testBerth.ok<{ operation: string; result: string }[]>('audit.all')).every(
        ({ operation, result }) => operation !== 'cluster.rotateTokens' || result === 'SERVICE_UNAVAILABLE',
      ),
    )
  })
})
