import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ContainerNetwork, EngineFailure } from '../engine/engine.ts'
import { networksOf } from '../lib/net/networks.ts'
import { checkTrustedProxies, refusedProxies, trustedProxiesOf } from './trusted-proxies.ts'

const docker0 = { name: 'docker0', address: '172.17.0.1', prefix: 16 }
const ingress = { name: 'ingress', address: '10.0.0.0', prefix: 24 }
const six = { name: 'br-0123456789ab', address: 'fd00:1::1', prefix: 64 }
const containers = [docker0, ingress, six]

const cases: [setting: string, refused: string[]][] = [
  ['127.0.0.1,192.0.2.0/24,::1', []],
  ['172.17.0.1', ['172.17.0.1/32 docker0']],
  ['172.17.3.4', ['172.17.3.4/32 docker0']],
  ['172.16.0.0/12', ['172.16.0.0/12 docker0']],
  ['172.18.0.0/16', []],
  ['10.0.0.0/8,10.0.1.0/24', ['10.0.0.0/8 ingress']],
  ['fd00:1::7', ['fd00:1::7/128 br-0123456789ab']],
  ['fd00::/16,fd00:1:0:1::/64', ['fd00::/16 br-0123456789ab']],
]
for (const [setting, refused] of cases) {
  test(`of the proxies ${setting}, ${refused.length} are among containers`, () => {
    const found = refusedProxies(networksOf(setting)!, containers)
    assert.deepEqual(
      found.map(({ proxy, network }) => `${proxy} ${network}`),
      refused,
    )
  })
}

test('the start is refused with the setting, the bridge and the way out', () => {
  checkTrustedProxies(networksOf('127.0.0.1')!, containers)
  assert.throws(
    () => checkTrustedProxies(networksOf('127.0.0.1,172.17.0.1')!, containers),
    /BERTH_TRUSTED_PROXIES has 172\.17\.0\.1\/32, .*docker0.*network of the host/,
  )
})

test('addresses of containers are never trusted, also of networks that are made later or while the engine is down', async () => {
  let networks: ContainerNetwork[] | null = null
  const engine = {
    async containerNetworks() {
      if (networks === null) throw new EngineFailure('failed', 'down')
      return networks
    },
  }
  const { isTrusted, read, refused } = trustedProxiesOf(networksOf('10.0.0.0/8,127.0.0.1')!, engine, () => [docker0])
  const trusted = () => ['127.0.0.1', '10.0.0.7', '10.2.0.7', '192.0.2.7', '172.17.0.1'].filter(isTrusted)
  await read()
  assert.deepEqual([trusted(), refused()], [['127.0.0.1', '10.0.0.7', '10.2.0.7'], []])
  networks = [ingress]
  await read()
  assert.deepEqual(trusted(), ['127.0.0.1', '10.2.0.7'])
  assert.deepEqual(refused(), [{ proxy: '10.0.0.0/8', network: 'ingress' }])
  networks = null
  await read()
  assert.deepEqual(trusted(), ['127.0.0.1', '10.2.0.7'])
})
