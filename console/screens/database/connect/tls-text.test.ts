import assert from 'node:assert/strict'
import test from 'node:test'
import type { DatabaseRecord } from '../../../data/kinds.ts'
import { isPlainUrlUsable, missingTlsText, type TlsState, tlsState } from './tls-text.ts'

const cases: [tls: DatabaseRecord['tls'], pendingChanges: boolean, hasTls: boolean, TlsState][] = [
  ['allow', false, true, 'allow'],
  ['require', false, true, 'require'],
  ['require', true, true, 'changing'],
  ['off', true, true, 'changing'],
  ['off', false, false, 'off'],
  ['allow', true, false, 'waiting'],
  ['require', true, false, 'waiting'],
]
for (const [tls, pendingChanges, hasTls, expected] of cases) {
  test(`${tls}${pendingChanges ? ', not deployed,' : ''} ${hasTls ? 'with' : 'without'} TLS is ${expected}`, () => {
    const connection = { verifiedInternalUrl: hasTls ? 'x' : null } as DatabaseRecord['connection']
    assert.equal(tlsState({ tls, pendingChanges, connection }), expected)
  })
}

test('a URL that the server refuses in any case is not shown', () => {
  assert.equal(isPlainUrlUsable('redis', 'require'), false)
  assert.equal(isPlainUrlUsable('mongo', 'require'), false)
  assert.equal(isPlainUrlUsable('postgres', 'require'), true)
  assert.equal(isPlainUrlUsable('redis', 'changing'), true)
})

test('says plainly that a server has no TLS', () => {
  assert.match(missingTlsText('off') ?? '', /without encryption/)
  assert.match(missingTlsText('waiting') ?? '', /next deploy/)
  assert.equal(missingTlsText('allow'), null)
})
