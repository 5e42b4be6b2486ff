/** How a restored state differs from what runs, and what is proposed. Proposals stop and delete nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedVolumes, differencesOf, type Facts, type FoundServer, hasDifferences } from './differences.ts'
import type { RecordedDatabase } from './differences.ts'
import type { Decision, DifferenceReason } from './table.ts'

const volume = { name: 'v1', nodeId: 'n1', nodeName: 'web-1', hasData: true }
const database = (changes: Partial<RecordedDatabase> = {}): RecordedDatabase => ({
  id: 'd1',
  appName: 'shop',
  goal: 'up',
  removeData: 0,
  volume,
  ...changes,
})
const server = (changes: Partial<FoundServer> = {}): FoundServer => ({
  service: 'shop',
  databaseId: 'd1',
  kind: 'postgres',
  isTemporary: false,
  volume: 'v1',
  nodeId: 'n1',
  image: 'postgres:17',
  replicas: 1,
  ...changes,
})
const factsOf = (changes: Partial<Facts>): Facts => {
  const { servers = [] } = changes
  return {
    databases: [database()],
    servers,
    serviceNames: new Set(servers.map(({ service }) => service)),
    nodes: new Map([
      ['n1', { hostname: 'web-1', address: 'a1', isReady: true }],
      ['n2', { hostname: 'web-2', address: 'a2', isReady: true }],
    ]),
    presence: new Map(),
    expiring: 0,
    ...changes,
  }
}
const other = server({ service: 'other', databaseId: 'd9' })
const temporary = server({ service: 'berth-source-x', isTemporary: true })
const gone = { databases: [database({ goal: 'gone' })] }
const goneWithData = { databases: [database({ goal: 'gone', removeData: 1 })] }
const missing = { presence: new Map([['v1', 'missing' as const]]) }
const unknown = { presence: new Map([['v1', 'unknown' as const]]) }
const isDown = { nodes: new Map([['n1', { hostname: 'web-1', address: 'a1', isReady: false }]]) }

const cases: [string, Partial<Facts>, DifferenceReason['reason'], Decision[]][] = [
  ['it runs on its volume', { servers: [server()] }, 'AsRecorded', []],
  ['it is stopped as recorded', { databases: [database({ goal: 'stopped' })] }, 'AsRecorded', []],
  ['it was never deployed', { databases: [database({ goal: 'none', volume: null })] }, 'AsRecorded', []],
  ['it was moved', { servers: [server({ volume: 'v2', nodeId: 'n2' })] }, 'OnOtherVolume', ['adopt', 'forget']],
  ['it runs on another node', { servers: [server({ nodeId: 'n2' })] }, 'OnOtherVolume', ['adopt', 'forget']],
  ['it was stopped', { servers: [server({ replicas: 0 })] }, 'StoppedSince', ['stop', 'start']],
  ['it was fenced', { servers: [server({ replicas: 0 })], ...isDown }, 'StoppedSince', ['start', 'stop']],
  ['a move has stopped it', { servers: [server({ replicas: 0 }), temporary] }, 'StoppedSince', ['start', 'stop']],
  [
    'it was started',
    { databases: [database({ goal: 'stopped' })], servers: [server()] },
    'StartedSince',
    ['adopt', 'forget'],
  ],
  [
    'it was deployed',
    { databases: [database({ goal: 'none', volume: null })], servers: [server()] },
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
  ['another service uses its volume', { servers: [other] }, 'RemovedSince', ['forget']],
  [
    'another service has its name, in other letters',
    { serviceNames: new Set(['shop']), databases: [database({ appName: 'Shop' })] },
    'RemovedSince',
    ['forget'],
  ],
  [
    'another service uses its volume, and it was never deployed',
    { databases: [database({ goal: 'none' })], servers: [other] },
    'RemovedSince',
    ['forget'],
  ],
  ['its removal had begun', { ...gone, servers: [server()] }, 'InRemoval', ['keep', 'finish']],
  ['its removal is over', gone, 'InRemoval', ['finish', 'keep']],
  ['only its data is left', goneWithData, 'InRemoval', ['keep', 'finish']],
  ['its removal with the data is over', { ...goneWithData, ...missing }, 'InRemoval', ['finish', 'keep']],
  ['its data cannot be seen', { ...goneWithData, ...unknown }, 'InRemoval', ['keep', 'finish']],
  ['another service uses the volume in removal', { ...goneWithData, servers: [other] }, 'InRemoval', ['forget']],
]

for (const [title, changes, reason, decisions] of cases) {
  test(`${title}: ${reason}, ${decisions.join(' or ') || 'nothing to decide'}`, () => {
    const [found] = differencesOf(factsOf(changes))
    assert.deepEqual([found!.reason.reason, found!.decisions], [reason, decisions])
    assert.equal(found!.proposal, decisions[0] ?? null)
  })
}

test('lists services without a record, what moves left, and expired objects', () => {
  const found = differencesOf(factsOf({ servers: [server(), other, temporary], expiring: 2 }))
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
  assert.equal(hasDifferences(differencesOf(factsOf({ servers: [server()] }))), false)
})

test('asks only for the volumes of databases without a server', () => {
  const [first, second] = [database(), database({ id: 'd2', volume: { ...volume, name: 'v2' } })]
  assert.deepEqual(
    askedVolumes({ databases: [first, second], servers: [server()] }).map(({ name }) => name),
    ['v2'],
  )
})
