/** The names of Berth's own services. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayNameOf, gatewayOwnerOf, isBerthServiceName } from './own-names.ts'

test('the name of a gateway tells its owner', () => {
  for (const owner of [
    { kind: 'database', id: '01ab' },
    { kind: 'port', id: '02cd' },
  ] as const) {
    assert.deepEqual(gatewayOwnerOf(gatewayNameOf(owner)), owner)
    assert.ok(isBerthServiceName(gatewayNameOf(owner)))
  }
  for (const name of ['berth-proxy', 'berth-registry', 'orders', 'my-berth-gateway-1']) {
    assert.equal(gatewayOwnerOf(name), null, name)
  }
})
