/** The target of a service without a record has the specification of the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foundParts, type FoundSpec, type ServiceSpec } from '../engine/spec.ts'
import { unknownStart } from '../kinds/image-start.ts'
import { kindNamed } from '../kinds/index.ts'
import { initialTarget, pick } from './columns.ts'
import { foundStartSecrets, foundTarget } from './found-target.ts'
import { databaseSpec } from './reconcile/specs.ts'
import type { Target } from './targets.ts'

const settings = {
  databaseName: 'shop',
  databaseUser: 'shop',
  databasePassword: "a 'pass' {{word}}",
  databaseRootPassword: 'root',
}
const image = {
  reference: 'registry/db:1',
  digest: 'registry/db@sha256:0f',
  id: 'sha256:0e',
  version: '1',
  start: unknownStart,
}
const env = ['A=1', "B='two words'", 'C="line\\nline"', 'D=\'a `b` "c"\'', 'E='].join('\n')
const limits = { memoryLimit: 512, memoryReservation: 256, cpuLimit: 0.5, cpuReservation: 0.01 }

const cases: [kind: string, title: string, changes: Partial<Target>][] = [
  ['postgres', 'without options', {}],
  ['postgres', 'with options', { command: "-c 'a=b c' -c d=''", env, ...limits, restarts: 3, externalPort: 5432 }],
  ['mysql', 'with options', { command: '--max-connections=200', env, ...limits }],
  ['mariadb', 'with a limit', limits],
  ['redis', 'without options', {}],
  ['redis', 'with a limit', limits],
  ['redis', 'with options and a limit', { command: '--save "60 1000" --appendonly no', ...limits }],
  ['redis', 'with the program', { command: 'redis-server --appendonly no', ...limits }],
  ['redis', 'with a configuration file', { command: '/etc/redis.conf --appendonly no', ...limits }],
  ['redis', 'with another program', { command: 'sh -c "exec redis-server"', ...limits }],
  ['mongo', 'without options', {}],
  ['mongo', 'with a limit', limits],
  ['mongo', 'with options and a limit', { command: '--auth --port 27017 --quiet', ...limits }],
  ['mongo', 'with another program', { command: 'sh -c "exec mongod --auth"', env }],
]

const identity = { id: 'd1', appName: 'shop' }
const mount = { name: 'v1', dataPath: '/data', nodeId: 'n1', generation: 2 }
const foundIn = (spec: ServiceSpec): FoundSpec => ({ ...pick(spec, foundParts), mounts: spec.mounts })

for (const [name, title, changes] of cases) {
  test(`a service of ${name} ${title}`, () => {
    const kind = kindNamed(name)
    const names = Object.keys(kind.settings.shape) as (keyof typeof settings)[]
    const known = { settings: pick(settings, names), dockerImage: 'registry/db:1', image, externalPort: null }
    const deployed = { ...initialTarget, ...known, restarts: 0, ...changes }
    const specOf = (target: Target) => databaseSpec({ ...identity, kind: name }, target, mount, kind, new Map(), 1)
    const found = foundTarget(kind, foundIn(specOf(deployed)), { ...known, externalPort: deployed.externalPort })
    assert.deepEqual(specOf(found), specOf(deployed))
    assert.deepEqual(Object.keys(found).sort(), Object.keys(deployed).sort())
  })
}

test('finds the secrets of the first start in the environment, and takes the present ones for others', () => {
  const secrets = Object.entries(settings).filter(([name]) => name.endsWith('Password'))
  for (const [name, expected] of [
    ['mysql', { databasePassword: settings.databasePassword, databaseRootPassword: settings.databaseRootPassword }],
    ['postgres', { databasePassword: settings.databasePassword }],
    ['redis', { databasePassword: 'present' }],
  ] as const) {
    const kind = kindNamed(name)
    const names = Object.keys(kind.settings.shape) as (keyof typeof settings)[]
    const known = { settings: pick(settings, names), dockerImage: 'registry/db:1', image, externalPort: null }
    const target = { ...initialTarget, ...known, restarts: 0 }
    const spec = databaseSpec({ ...identity, kind: name }, target, mount, kind, new Map(), 1)
    const present = { ...known.settings, ...Object.fromEntries(secrets.map(([secret]) => [secret, 'present'])) }
    assert.deepEqual(foundStartSecrets(kind, foundIn(spec), pick(present, names)), expected, name)
  }
})

test('leaves out a variable that an environment file cannot contain, or that is reserved', () => {
  const kind = kindNamed('redis')
  const known = { settings: pick(settings, ['databasePassword']), dockerImage: 'redis:8', image, externalPort: null }
  const target = { ...initialTarget, ...known, restarts: 0 }
  const spec = databaseSpec({ ...identity, kind: 'redis' }, target, mount, kind, new Map(), 1)
  const changed = { ...foundIn(spec), env: { A: '1', B: '\'"`', REDIS_ARGS: '--x' } }
  assert.equal(foundTarget(kind, changed, known).env, 'A=1')
})
