/** The clearance in a specification: it depends on what decides where the data is, and on nothing secret. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../kinds/index.ts'
import type { Target } from '../targets.ts'
import { initialTarget } from '../columns.ts'
import { databaseSpec, openSpec, type VolumeMount } from './specs.ts'

const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'first', databaseRootPassword: 'root' }
const mount = { name: 'v1', dataPath: '/data', nodeId: 'n1', generation: 2 }
const target: Target = {
  ...initialTarget,
  dockerImage: 'db:1',
  image: 'resolve',
  settings,
  externalPort: null,
  restarts: 0,
}

for (const kind of kinds) {
  const identity = { id: 'd1', kind: kind.name, appName: 'shop' }
  const healthOf = (changes: Partial<Target> = {}, volume: VolumeMount = mount) =>
    databaseSpec(identity, { ...target, ...changes }, volume, kind, new Map(), 1).health

  test(`${kind.label}: passwords and restarts do not change the clearance`, () => {
    const secrets = Object.fromEntries(kind.secrets.map((name) => [name, 'second']))
    for (const changes of [{ settings: { ...settings, ...secrets } }, { restarts: 1 }, { cpuLimit: 1 }]) {
      assert.deepEqual(healthOf(changes), healthOf())
    }
  })

  test(`${kind.label}: the image, the command, a variable and the volume change the clearance`, () => {
    const changed = [{ dockerImage: 'db:2' }, { command: '--verbose' }, { env: 'A=1' }].map((changes) =>
      healthOf(changes),
    )
    const all = [healthOf(), ...changed, healthOf({}, { ...mount, name: 'v2' })].map((health) => health!.at(-1))
    assert.equal(new Set(all).size, 5)
  })

  test(`${kind.label}: a temporary server has no clearance`, () => {
    assert.deepEqual(openSpec(identity, target, mount, kind, new Map(), 1).health, kind.health)
  })
}
