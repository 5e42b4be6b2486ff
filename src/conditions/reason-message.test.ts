/** The messages of conditions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionMessage, conditionReasons } from './reason-message.ts'
import type { ConditionReason } from './reason.ts'

const at = '2030-01-01T00:00:00.000Z'
const messages: [ConditionReason, string][] = [
  [{ reason: 'DatabaseDown', cause: null }, 'The database does not run'],
  [
    { reason: 'DatabaseDown', cause: { reason: 'NodeDown', node: 'web-2', address: '192.0.2.1' } },
    'The database does not run: Node web-2 (192.0.2.1), which holds the volume, is down',
  ],
  [
    { reason: 'RestartedOften', restarts: 3, minutes: 15, cause: null },
    'The database went down 3 times in the last 15 minutes',
  ],
  [
    { reason: 'RestartedOften', restarts: 1, minutes: 15, cause: { reason: 'TaskExited', exitCode: 3 } },
    'The database went down 1 time in the last 15 minutes: The server ended with exit code 3',
  ],
  [
    { reason: 'SlowStart', since: at },
    `The server has been starting since ${at}. Berth waits as long as its container lives`,
  ],
  [
    { reason: 'LoginRefused', cause: { reason: 'LoginNotTried', detail: 'x' } },
    'The database runs, but Berth cannot log in: ',
  ],
  [{ reason: 'RootRefused' }, 'The server refuses root over the network, or the stored password of root. Dumps'],
  [{ reason: 'OwnAccountMissing' }, 'Berth has no account with all rights on the server'],
  [
    { reason: 'SeriesEnded', product: 'MySQL', series: '8.0', endedOn: '2026-04-30', next: '8.4' },
    'MySQL 8.0 has got no fixes since 2026-04-30, not even for security. Go to MySQL 8.4',
  ],
  [
    { reason: 'Drifted', drift: [{ reason: 'ServiceMissing' }, { reason: 'GatewayMissing' }] },
    'The Swarm service is missing. The gateway of the external port is missing',
  ],
  [
    { reason: 'RunFailed', runId: 'r1', at, cause: { reason: 'ServiceDown' } },
    `The last dump failed at ${at}: The service is not running at the moment`,
  ],
  [{ reason: 'RunsFailed', runs: 2, lastGoodAt: null }, '2 scheduled dumps in a row failed. There is no good dump'],
  [
    { reason: 'ScheduleMissed', dueAt: at, lastGoodAt: at },
    `The dump that was due at ${at} was not made. The last good dump is of ${at}`,
  ],
  [
    { reason: 'RunWaiting', runId: 'r1', since: at, cause: null, lastGoodAt: null },
    `The dump that was due at ${at} still waits. There is no good dump`,
  ],
  [{ reason: 'DrillFailed', runId: 'r1', at, cause: null }, `The last drill failed at ${at}`],
  [
    { reason: 'DrillsMissed', lastVerifiedAt: null },
    'No dump was verified for longer than verifySchedule says. No dump was ever verified',
  ],
  [
    { reason: 'DumpShrunk', runId: 'r2', shrunkFrom: 'r1' },
    'The dump r2 has less than half of the content of the earlier dump r1. Older dumps are kept',
  ],
  [
    {
      reason: 'DumpIncomplete',
      count: 2,
      findings: [{ reason: 'ViewBroken', type: 'VIEW', name: 'v', code: '1146', detail: "Table 'a' doesn't exist" }],
    },
    'The last dump is good, but 2 objects of the database are at fault. The view v cannot be read. The dump has only its ' +
      "definition, as a comment: Table 'a' doesn't exist. Correct the view with CREATE OR REPLACE VIEW, or remove it: " +
      'DROP VIEW `v`. backup.manifest names the other 1',
  ],
  [
    { reason: 'VolumesFound', nodeId: 'n2', foundOn: 'new', volumes: 1, isListed: false },
    'The node left the swarm, and a volume of it was found on node new. If this is the same machine, which joined again, ' +
      'take back what is on it with cluster.adoptNode: berth node adopt n2 --node new',
  ],
  [
    { reason: 'VolumesFound', nodeId: 'n2', foundOn: 'new', volumes: 2, isListed: true },
    'The node is down, and 2 volumes of it were found on node new. If this is the same machine, which joined again, take ' +
      'back what is on it with cluster.adoptNode: berth node adopt n2 --node new. Remove the old node from the swarm first: ' +
      'its volumes stay on the machine',
  ],
  [{ reason: 'CertificateExpires', notAfter: at }, `The certificate expires at ${at}`],
  [{ reason: 'CertificateExpired', notAfter: at }, `The certificate expired at ${at}`],
  [
    { reason: 'RenewalFailed', host: 'a.example', detail: 'no answer' },
    'The proxy obtains no certificate for a.example: no answer',
  ],
  [
    { reason: 'AccountAttacked', passwords: 10, codes: 0 },
    '10 wrong passwords and 0 wrong codes for this account without a pause of an hour',
  ],
  [
    { reason: 'AccountsAttacked', attempts: 40, accounts: 8 },
    '40 failed sign-ins to 8 accounts without a pause of an hour',
  ],
  [{ reason: 'StorageFailed', fault: 'refused', detail: 'no route', at }, 'no route'],
  [{ reason: 'EngineUnavailable' }, 'The Docker engine does not answer. What Berth knows of'],
  [{ reason: 'NodeNotReady', state: 'down' }, 'Swarm reports the node as down'],
  [{ reason: 'ProxyFailed', detail: 'no answer' }, 'no answer'],
  [
    { reason: 'RegistryFailed', cause: { reason: 'RegistryLoginFailed', detail: 'x' } },
    'The registry does not work: The registry runs, but a login to it fails. x',
  ],
  [
    { reason: 'ProxyAmongContainers', proxy: '10.0.0.0/8', network: 'ingress' },
    '10.0.0.0/8 of BERTH_TRUSTED_PROXIES has addresses of containers (ingress), which Berth does not trust. Run the ' +
      'proxy on the network of the host, and name its own address',
  ],
  [{ reason: 'ClockSet', minutes: -10 }, 'The clock of the machine jumped back by 10 minutes. '],
  [{ reason: 'ClockBehind', minutes: 180 }, 'The machine was started, and its clock is 3 hours before the last time'],
  [{ reason: 'ClockUnverified', minutes: 10_080 }, 'The machine was started, and its clock is 7 days after the last'],
  [{ reason: 'NotInCharge', host: 'web-2', since: at }, 'Another Berth with the same state'],
  [{ reason: 'UpgradeUnconfirmed', from: '0.1.0', to: '0.2.0' }, 'The upgrade from Berth 0.1.0 to 0.2.0'],
  [{ reason: 'RestoredState' }, "Berth's state was restored and differs from what runs"],
  [{ reason: 'NoStateBackup' }, "Berth's own state is not backed up. Schedule backups with state.schedule"],
]

for (const [reason, beginning] of messages) {
  test(`renders ${reason.reason}: ${beginning}`, () => {
    const message = conditionMessage(reason)
    assert.ok(message.startsWith(beginning), message)
  })
}

test('renders every reason', () => {
  const rendered = new Set(messages.map(([{ reason }]) => reason))
  assert.deepEqual([...rendered].sort(), [...conditionReasons].sort())
})
