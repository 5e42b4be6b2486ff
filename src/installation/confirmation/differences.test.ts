/** How a restored state differs from what runs, and what is proposed. Proposals stop and delete nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOf } from '../../../test/fixtures/samples.ts'
import type { FoundService, VolumeUse } from '../../engine/engine.ts'
import { databaseLabel, generationLabel, installationLabel, kindLabel, roleLabel } from '../../engine/labels.ts'
import { askedVolumes, differencesOf, type Facts, hasDifferences, serverIn } from './differences.ts'
import type { RecordedDatabase } from './differences.ts'
import type { Decision, DifferenceReason } from './table.ts'

const volume = { name: 'v1', nodeId: 'n1', generation: 1, hasData: true }
const database = (changes: Partial<RecordedDatabase> = {}): RecordedDatabase => ({
  id: 'd1',
  appName: 'shop',
  goal: 'up',
  removeData: 0,
  volume,
  ...changes,
})
interface Server {
  name?: string
  databaseId?: string
  role?: 'database' | 'move'
  volume?: string
  nodeId?: string
  generation?: number
  replicas?: 0 | 1
}
const server = (changes: Server = {}): FoundService => {
  const { name = 'shop', databaseId = 'd1', role = 'database', volume: mounted = 'v1', generation = 1 } = changes
  const { nodeId = 'n1', replicas = 1 } = changes
  const labels = {
    [installationLabel]: 'i1',
    [databaseLabel]: databaseId,
    [roleLabel]: role,
    [generationLabel]: String(generation),
  }
  return serviceOf({ name, labels, volumes: [mounted], nodeId, replicas })
}
const used = (changes: Partial<VolumeUse>) => ({
  uses: new Map([['v1', { exists: true, labels: {}, services: [], containers: [], ...changes }]]),
})
const factsOf = ({
  services = [],
  ...changes
}: Partial<Omit<Facts, 'services'>> & { services?: FoundService[] }): Facts => {
  return {
    installationId: 'i1',
    databases: [database()],
    services,
    servers: services.flatMap((service) => serverIn(service, 'i1')),
    nodes: new Map([
      ['n1', { hostname: 'web-1', address: 'a1', isReady: true }],
      ['n2', { hostname: 'web-2', address: 'a2', isReady: true }],
    ]),
    uses: new Map(),
    expiring: 0,
    ...changes,
  }
}
const other = server({ name: 'other', databaseId: 'd9' })
const named = serviceOf({ name: 'shop' })
const temporary = server({ name: 'berth-source-x', role: 'move' })
const foreign = serviceOf({ name: 'foreign', volumes: ['v1'], nodeId: null })
const stoppedOn = (generation: number) => server({ volume: 'v2', generation, replicas: 0 })
const gone = { databases: [database({ goal: 'gone' })] }
const goneWithData = { databases: [database({ goal: 'gone', removeData: 1 })] }
const missing = used({ exists: false })
const unknown = { uses: new Map([['v1', null]]) }
const isDown = { nodes: new Map([['n1', { hostname: 'web-1', address: 'a1', isReady: false }]]) }

const cases: [string, Parameters<typeof factsOf>[0], DifferenceReason['reason'], Decision[]][] = [
  ['it runs on its volume', { services: [server()] }, 'AsRecorded', []],
  ['it is stopped as recorded', { databases: [database({ goal: 'stopped' })] }, 'AsRecorded', []],
  ['it was never deployed', { databases: [database({ goal: 'none', volume: null })] }, 'AsRecorded', []],
  ['it was moved', { services: [server({ volume: 'v2', nodeId: 'n2' })] }, 'OnOtherVolume', ['adopt', 'forget']],
  ['a newer service is stopped', { services: [stoppedOn(2)] }, 'OnOtherVolume', ['adopt', 'forget']],
  ['an older service is stopped', { services: [stoppedOn(0)] }, 'StoppedSince', ['stop', 'start']],
  [
    'an older service runs',
    { services: [server({ volume: 'v2', generation: 0 })] },
    'OnOtherVolume',
    ['adopt', 'forget'],
  ],
  ['it runs on another node', { services: [server({ nodeId: 'n2' })] }, 'OnOtherVolume', ['adopt', 'forget']],
  ['it was stopped', { services: [server({ replicas: 0 })] }, 'StoppedSince', ['stop', 'start']],
  ['it was fenced', { services: [server({ replicas: 0 })], ...isDown }, 'StoppedSince', ['start', 'stop']],
  ['a move has stopped it', { services: [server({ replicas: 0 }), temporary] }, 'StoppedSince', ['start', 'stop']],
  [
    'it was started',
    { databases: [database({ goal: 'stopped' })], services: [server()] },
    'StartedSince',
    ['adopt', 'forget'],
  ],
  [
    'it was deployed',
    { databases: [database({ goal: 'none', volume: null })], services: [server()] },
    'StartedSince',
    ['adopt', 'forget'],
  ],
  ['it was removed without its data', {}, 'RemovedSince', ['create', 'forget']],
  ['it was removed with its data', missing, 'RemovedSince', ['forget', 'create']],
  ['its node does not answer', unknown, 'RemovedSince', ['create', 'forget']],
  [
    'its first start had not begun',
    { databases: [database({ volume: { ...volume, hasData: false } })], ...missing },
    'RemovedSince',
    ['create', 'forget'],
  ],
  ['another service uses its volume', { services: [other] }, 'RemovedSince', ['forget']],
  [
    'another service has its name, in other letters',
    { services: [named], databases: [database({ appName: 'Shop' })] },
    'RemovedSince',
    ['forget'],
  ],
  [
    'another service uses its volume, and it was never deployed',
    { databases: [database({ goal: 'none' })], services: [other] },
    'RemovedSince',
    ['forget'],
  ],
  ['a container uses its volume', used({ containers: [{ name: 'copy', service: null }] }), 'RemovedSince', ['forget']],
  ["somebody's service uses its volume", { services: [foreign] }, 'RemovedSince', ['forget']],
  ['its removal had begun', { ...gone, services: [server()] }, 'InRemoval', ['keep', 'finish']],
  ['its removal is over', gone, 'InRemoval', ['finish', 'keep']],
  ['only its data is left', goneWithData, 'InRemoval', ['keep', 'finish']],
  ['its removal with the data is over', { ...goneWithData, ...missing }, 'InRemoval', ['finish', 'keep']],
  ['its data cannot be seen', { ...goneWithData, ...unknown }, 'InRemoval', ['keep', 'finish']],
  ['its removal is over, and its name is taken', { ...gone, services: [named] }, 'InRemoval', ['forget']],
  ['another service uses the volume in removal', { ...goneWithData, services: [other] }, 'InRemoval', ['forget']],
]

for (const [title, changes, reason, decisions] of cases) {
  test(`${title}: ${reason}, ${decisions.join(' or ') || 'nothing to decide'}`, () => {
    const [found] = differencesOf(factsOf(changes))
    assert.deepEqual([found!.reason.reason, found!.decisions], [reason, decisions])
    assert.equal(found!.proposal, decisions[0] ?? null)
  })
}

test('lists services without a record, what moves left, and expired objects', () => {
  const found = differencesOf(factsOf({ services: [server(), other, temporary], expiring: 2 }))
  assert.deepEqual(
    found.map(({ subjectId, reason, proposal }) => [subjectId, reason.reason, proposal]),
    [
      ['d1', 'AsRecorded', null],
      ['other', 'Unknown', 'leave'],
      ['berth-source-x', 'LeftFromMove', 'remove'],
      ['expiredObjects', 'Expiring', 'keep'],
    ],
  )
  assert.equal(hasDifferences(found), true)
  assert.equal(hasDifferences(differencesOf(factsOf({ services: [server()] }))), false)
})

test('offers to adopt a service without a record if it runs and Berth knows its kind', () => {
  const rows: [kind: string, replicas: 0 | 1, decisions: Decision[]][] = [
    ['redis', 1, ['leave', 'adopt']],
    ['redis', 0, ['leave']],
    ['of another version', 1, ['leave']],
  ]
  for (const [kind, replicas, decisions] of rows) {
    const service = server({ name: 'other', databaseId: 'd9', replicas })
    service.labels[kindLabel] = kind
    const [found] = differencesOf(factsOf({ databases: [], services: [service] }))
    assert.deepEqual([found!.decisions, found!.proposal], [decisions, 'leave'])
  }
})

test('asks only for the volumes of databases without a server', () => {
  const [first, second] = [database(), database({ id: 'd2', volume: { ...volume, name: 'v2' } })]
  assert.deepEqual(
    askedVolumes(factsOf({ databases: [first, second], services: [server()] })).map(({ name }) => name),
    ['v2'],
  )
})
