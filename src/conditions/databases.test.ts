/** The conditions of databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Drift, noDrift, type StatusReason } from '../databases/status.ts'
import { toJson } from '../lib/json.ts'
import {
  accessFindings,
  type DatabaseFact,
  databaseFindings,
  type Restart,
  type VersionFact,
  versionFindings,
} from './databases.ts'

const now = new Date('2030-01-01T12:00:00.000Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()

const healthy: DatabaseFact = {
  id: 'id1',
  appName: 'orders',
  projectId: 'shop',
  goal: 'up',
  observed: 'up',
  applicationStatus: 'done',
  statusReason: null,
  drift: noDrift,
  downSince: null,
  action: null,
  isBeingRestored: false,
}

const drifted = (...drift: Drift[]) => ({ drift: toJson<readonly Drift[]>(drift) })

const starting = (minutes: number) =>
  toJson<StatusReason>({ reason: 'Starting', since: minutesAgo(minutes), silentSince: null, lastLine: null })

function namesOf(change: Partial<DatabaseFact>): string[] {
  return databaseFindings([{ ...healthy, ...change }], [], new Set(), now).findings.map(({ name }) => name)
}

const states: [title: string, change: Partial<DatabaseFact>, names: string[]][] = [
  ['runs', {}, []],
  ['restarts for the first time', { observed: 'starting', downSince: minutesAgo(0) }, []],
  ['is down', { observed: 'down' }, ['DatabaseDown']],
  ['is down because of a node', { observed: 'down', ...drifted({ reason: 'ServiceFenced' }) }, ['DatabaseDown']],
  ['refuses logins', { observed: 'unproven' }, ['DatabaseLoginRefused']],
  ['was changed outside Berth', drifted({ reason: 'ServiceChanged' }), ['DatabaseDrifted']],
  [
    'is down and was changed outside Berth',
    {
      observed: 'down',
      ...drifted({ reason: 'ServiceChanged' }, { reason: 'ContainerNotRunning', state: null, detail: null }),
    },
    ['DatabaseDown', 'DatabaseDrifted'],
  ],
  ['was stopped by a call', { goal: 'stopped', observed: 'unknown', applicationStatus: 'idle' }, []],
  [
    'was stopped because of a fault',
    { goal: 'stopped', observed: 'unknown', applicationStatus: 'error' },
    ['DatabaseDown'],
  ],
  ['runs the last good target after a rollback', { applicationStatus: 'error' }, []],
  ['is being deployed', { observed: 'down', action: 'deploy' }, []],
  ['has been starting for 10 minutes', { action: 'deploy', statusReason: starting(10) }, ['DatabaseStarting']],
  ['has been starting for 9 minutes', { action: 'deploy', statusReason: starting(9) }, []],
  ['started slowly, and now runs', { statusReason: starting(10) }, []],
  ['is being moved', { observed: 'down', action: 'move' }, []],
  ['is being repaired', { observed: 'down', action: 'repair' }, []],
  ['is being restored', { observed: 'unproven', isBeingRestored: true }, []],
]
for (const [title, change, names] of states) {
  test(`reports ${names.join(' and ') || 'nothing'} if the database ${title}`, () => {
    assert.deepEqual(namesOf(change), names)
  })
}

test('reports lost rights on a server that runs', () => {
  const row = { id: 'id1', appName: 'orders', projectId: 'shop' }
  const findings = accessFindings([
    { ...row, access: 'withoutRoot' },
    { ...row, access: 'withoutOwn' },
  ])
  assert.deepEqual(
    findings.map(({ name, reason }) => [name, reason.reason]),
    [
      ['DatabaseRootRefused', 'RootRefused'],
      ['DatabaseRightsLost', 'OwnAccountMissing'],
    ],
  )
})

test('reports the subject, the beginning and the cause', () => {
  const row: DatabaseFact = {
    ...healthy,
    observed: 'down',
    downSince: minutesAgo(2),
    statusReason: toJson({ reason: 'StillDown', seconds: 60, cause: null }),
  }
  const { findings } = databaseFindings([row], [], new Set(), now)
  assert.deepEqual(findings, [
    {
      name: 'DatabaseDown',
      severity: 'critical',
      subject: { kind: 'database', id: 'id1', name: 'orders' },
      projectId: 'shop',
      since: minutesAgo(2),
      reason: { reason: 'DatabaseDown', cause: { reason: 'StillDown', seconds: 60, cause: null } },
    },
  ])
})

test('names the databases that Berth repairs by itself', () => {
  const rows = (['repair', 'restart', 'halt', 'deploy', null] as const).map((action, i) => ({
    ...healthy,
    id: `id${i}`,
    action,
  }))
  assert.deepEqual([...databaseFindings(rows, [], new Set(), now).repaired], ['id0', 'id1', 'id2'])
})

const restarts: [title: string, minutes: number[], change: Partial<DatabaseFact>, isPresent: boolean, count: number][] =
  [
    ['begins with three restarts in 15 minutes', [14, 8, 1], {}, false, 3],
    ['counts the present outage', [14, 8], { downSince: minutesAgo(0), observed: 'starting' }, false, 3],
    ['does not begin with two', [14, 1], {}, false, 0],
    ['does not begin with three in 16 minutes', [16, 8, 1], {}, false, 0],
    ['stays while one restart is younger than 15 minutes', [29, 14], {}, true, 1],
    ['ends after 15 minutes without a restart', [29, 15], {}, true, 0],
    ['ends when the database is stopped', [3, 2, 1], { goal: 'stopped' }, true, 0],
    ['ends during planned work', [3, 2, 1], { action: 'reload' }, true, 0],
  ]
for (const [title, minutes, change, isPresent, count] of restarts) {
  test(`DatabaseRestarting ${title}`, () => {
    const ended = minutes.map((ago): Restart => ({ databaseId: 'id1', at: minutesAgo(ago), reason: null }))
    const present = new Set(isPresent ? ['id1'] : [])
    const { findings } = databaseFindings([{ ...healthy, ...change }], ended, present, now)
    const reason = { reason: 'RestartedOften', restarts: count, minutes: 15, cause: null }
    assert.deepEqual(
      findings.map((each) => each.reason),
      count === 0 ? [] : [reason],
    )
  })
}

const versions: [kind: string, serverVersion: string | null, dockerImage: string | null, ended: string | null][] = [
  ['postgres', '14', 'postgres:14', 'PostgreSQL 14'],
  ['postgres', '99', 'postgres:99', null],
  ['postgres', null, null, null],
  ['redis', '7.0', 'redis:7', 'Redis 7.0'],
  ['redis', '8.0', 'team/valkey:8.0', 'Valkey 8.0'],
  ['redis', '8.0', 'redis:8.0', null],
  ['redis', '8.0', null, null],
]
for (const [kind, serverVersion, dockerImage, ended] of versions) {
  test(`reports ${ended ?? 'no end'} for ${kind} ${serverVersion} in ${dockerImage}`, () => {
    const row: VersionFact = { id: 'id1', appName: 'orders', projectId: 'shop', kind, serverVersion, dockerImage }
    const found = versionFindings([row], now).map(({ reason }) =>
      reason.reason === 'SeriesEnded' ? `${reason.product} ${reason.series}` : reason.reason,
    )
    assert.deepEqual(found, ended === null ? [] : [ended])
    assert.deepEqual(versionFindings([row], new Date('2021-01-01T00:00:00Z')), [])
  })
}
