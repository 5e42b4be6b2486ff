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
    { reason: 'LoginRefused', cause: { reason: 'LoginNotTried', detail: 'x' } },
    'The database runs, but Berth cannot log in: ',
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
    'No dump was verified for longer than the schedule of the drills says. No dump was ever verified',
  ],
  [
    { reason: 'DumpShrunk', runId: 'r2', shrunkFrom: 'r1' },
    'The dump r2 has less than half of the content of the earlier dump r1. Older dumps are kept',
  ],
  [
    { reason: 'ServerCertificateEnds', notAfter: at, waitsForDeploy: true, cause: null },
    `The certificate of the server ends at ${at}. The server takes a new one only at a deploy`,
  ],
  [
    { reason: 'ServerCertificateEnded', notAfter: at, waitsForDeploy: false, cause: null },
    `The certificate of the server ended at ${at}, and clients that verify it are refused`,
  ],
  [{ reason: 'PlainConnectionsOpen' }, 'Clients are connected without TLS'],
  [{ reason: 'PortOpen', externalPort: 5432 }, 'The external port 5432 accepts connections from everyone'],
  [
    { reason: 'SourcesNotEnforced', externalPort: 5432, cause: { reason: 'SourcesRefused', detail: 'no' } },
    'The list of the external port 5432 is not enforced completely: ',
  ],
  [
    { reason: 'PublishedPortOpen', port: '8080/tcp', applicationId: 'web' },
    'The published port 8080/tcp of web accepts connections from everyone. Give it a list of allowed sources',
  ],
  [
    {
      reason: 'PublishedSourcesNotEnforced',
      port: '8080/tcp',
      applicationId: 'web',
      cause: { reason: 'SourcesRefused', detail: 'no' },
    },
    'The list of the published port 8080/tcp of web is not enforced completely: ',
  ],
  [{ reason: 'CertificateExpires', notAfter: at }, `The certificate expires at ${at}`],
  [
    { reason: 'AuthorityExpires', authority: 'engines', notAfter: at },
    `The authority engines expires at ${at}, and all its certificates with it. Rotate it`,
  ],
  [
    { reason: 'AuthorityExpired', authority: 'installation', notAfter: at },
    `The authority installation expired at ${at}, and all its certificates with it. Rotate it`,
  ],
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
  [
    { reason: 'NodeEngineUnreachable', cause: { reason: 'NodePaused', node: 'web-2' } },
    'Berth cannot reach the engine of the node: Node web-2 is paused',
  ],
  [
    { reason: 'DiskUsed', percent: 80, sizeBytes: 50 * 2 ** 30 },
    '80 % or more of the disk of 50 GiB with the data of Docker is used',
  ],
  [
    { reason: 'MemoryUsed', percent: 90, limitBytes: 2 ** 29 },
    'The database uses 90 % or more of its memory limit of 0.5 GiB',
  ],
  [
    { reason: 'DataShrank', percent: 60, beforeBytes: 2 ** 31 },
    '60 % or more of the 2 GiB that the database had within the last 24 hours are gone',
  ],
  [
    { reason: 'Idle', hours: 6, perSecond: 40 },
    'The database had no transactions for 6 hours, and about 40 per second in the week before',
  ],
  [{ reason: 'ConnectionsUsed', percent: 95, allowed: 100 }, 'Clients use 95 % or more of the 100 connections'],
  [{ reason: 'ClockDiffers', seconds: -60 }, 'The clock of the node is 60 s behind that of Berth'],
  [{ reason: 'ClockDiffers', seconds: 7 }, 'The clock of the node is 7 s ahead of that of Berth'],
  [{ reason: 'ProxyFailed', detail: 'no answer' }, 'no answer'],
  [
    { reason: 'PublicCertificateMissing', host: 'b.example', source: 'uploaded' },
    'There is no certificate for b.example. Upload one that covers this host',
  ],
  [
    { reason: 'RegistryFailed', cause: { reason: 'RegistryLoginFailed', detail: 'x' } },
    'The registry does not work: The registry runs, but a login to it fails. x',
  ],
  [{ reason: 'NoStateBackup' }, "Berth's own state is not backed up. Give its backups a schedule"],
]

for (const [reason, beginning] of messages) {
  test(`renders ${reason.reason}: ${beginning}`, () => {
    const message = conditionMessage(reason)
    assert.ok(message.startsWith(beginning), message)
  })
}

test('no message has the name of a field', () => {
  for (const message of messages.map(([reason]) => conditionMessage(reason))) {
    assert.doesNotMatch(message, /\b[a-z]+[A-Z]/)
  }
})

test('renders every reason', () => {
  const rendered = new Set(messages.map(([{ reason }]) => reason))
  assert.deepEqual([...rendered].sort(), [...conditionReasons].sort())
})
