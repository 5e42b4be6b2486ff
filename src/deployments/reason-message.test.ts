/** The message of each reason of a deployment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../lib/json.ts'
import type { DeploymentReason, TaskReason } from './reason.ts'
import { deploymentReasons, reasonAnswer, reasonMessage } from './reason-message.ts'

const exited: TaskReason = { reason: 'TaskExited', exitCode: 3 }
const node = { node: 'two', address: '10.0.0.2' }
const data = { volume: 'berth-v', node: 'two', kind: 'postgres' }
const versions = { product: 'PostgreSQL', dataVersion: '15', image: 'postgres:17' }

const table: [DeploymentReason, RegExp][] = [
  [exited, /^The server ended with exit code 3$/],
  [{ reason: 'TaskExited', exitCode: 0 }, /^The server ended by itself \(exit code 0\)$/],
  [
    { ...exited, report: { outOfMemory: true, memoryLimitMiB: 64, lastLines: ['one', 'two'] } },
    /^The server ended with exit code 3: out of memory \(memoryLimit is 64 MiB\)\. Its last lines:\none\ntwo$/,
  ],
  [{ ...exited, report: { outOfMemory: true, memoryLimitMiB: null, lastLines: [] } }, /exit code 3: out of memory$/],
  [
    { ...exited, report: { outOfMemory: false, memoryLimitMiB: 64, lastLines: ['one'] } },
    /code 3\. Its last lines:\none$/,
  ],
  [
    { ...exited, report: { outOfMemory: false, memoryLimitMiB: 64, lastLines: ['one'], fault: 'no option x' } },
    /code 3: no option x\. Its last lines:\none$/,
  ],
  [
    { reason: 'TaskFailed', failure: 'ImageMissing', detail: 'No such image: x' },
    /^Image not found \(No such image: x\)$/,
  ],
  [
    { reason: 'TaskFailed', failure: 'Other', detail: 'strange' },
    /^The engine could not start the container \(strange\)$/,
  ],
  [{ reason: 'TaskNotStarted', state: 'pending' }, /^The container has not started \(.* pending\)$/],
  [{ reason: 'ImageTimeout', minutes: 15 }, /^The image was not pulled within 15 minutes$/],
  [{ reason: 'StartTimeout', minutes: 45 }, /^Not ready in time: the server did not answer within 45 minutes$/],
  [
    { reason: 'NodeMissing', ...node },
    /^Node two \(10\.0\.0\.2\), which holds the volume, is not in the swarm any more\./,
  ],
  [
    { reason: 'NodeReturned', ...node, nodeId: 'n2', foundOn: 'new' },
    /^Node two .* node new has a volume .*: berth node adopt n2 --node new$/,
  ],
  [{ reason: 'NodeDown', ...node }, /^Node two \(10\.0\.0\.2\), which holds the volume, is down$/],
  [{ reason: 'NodeDrained', ...node }, /^Node two \(10\.0\.0\.2\), which holds the volume, is drained$/],
  [{ reason: 'NodeUnknown', node: 'two' }, /^Node two, .* is not in the swarm or is being removed$/],
  [{ reason: 'NodeNotReady', node: 'two', state: 'down' }, /is not ready: its state is down$/],
  [
    { reason: 'NodeNotActive', node: 'two', availability: 'drain' },
    /accepts no new containers: its availability is drain$/,
  ],
  [{ reason: 'NoNodeReady' }, /^No node of the swarm is ready/],
  [{ reason: 'LabelUnknown', nodeLabel: 'disk=ssd' }, /^No node of the swarm has the label disk=ssd\. Add/],
  [{ reason: 'NoLabelledNodeReady', nodeLabel: 'disk=ssd' }, /label disk=ssd is ready and active$/],
  [{ reason: 'EngineFailed', failure: 'failed', detail: 'raft: proposal dropped' }, /^raft: proposal dropped$/],
  [{ reason: 'ServiceNameTaken', service: 'x' }, /^Another Swarm service is already called x$/],
  [
    {
      reason: 'PlacedElsewhere',
      service: 'x',
      recorded: { volume: 'a', node: 'one', generation: 0 },
      found: { volume: 'b', node: 'two', generation: 2 },
    },
    /^The service x has the volume b on node two \(generation 2\), but the record of .* has the volume a on node one\. /,
  ],
  [
    { reason: 'PlacedElsewhere', service: 'x', recorded: null, found: { volume: 'b', node: null, generation: 1 } },
    /^The service x has the volume b \(generation 1\), but the record of this database has no volume\. /,
  ],
  [{ reason: 'AppNameTaken', service: 'x' }, /^Another Swarm service is already called x\. Choose another appName$/],
  [{ reason: 'ImageMissing', image: 'x', detail: null }, /^Image not found \(No such image: x\)$/],
  [{ reason: 'ImageMissing', image: 'x', detail: 'gone' }, /\(No such image: x, and it cannot be pulled: gone\)$/],
  [{ reason: 'ImagePullFailed', image: 'x', detail: 'gone' }, /^The image x could not be pulled: gone$/],
  [
    { reason: 'ImageGone', image: 'x', imageId: 'sha256:1' },
    /^The deployed image of x \(sha256:1\) is no longer on its node.*pull: true/,
  ],
  [
    { reason: 'EntrypointIgnoresArguments', image: 'x', entrypoint: ['/bin/sh', '-c', 'run'] },
    /^The entry point of x is a line for a shell, .*: \/bin\/sh -c run\. Nothing was changed\. Set dockerImage/,
  ],
  [
    { reason: 'CommandIsNotServer', image: 'x', product: 'Redis', command: ['/run', 'a'], program: 'redis-server' },
    /^The image x has no entry point .* of Redis, .* begin with redis-server: \/run a\. Nothing .* field command/,
  ],
  [
    { reason: 'CommandIsNotServer', image: 'x', product: 'Redis', command: [], program: 'redis-server' },
    /does not begin with redis-server\. Nothing was changed/,
  ],
  [
    { reason: 'ArgumentRefused', product: 'Redis', detail: '--user: because' },
    /^Berth does not start Redis .* Nothing was changed\. The field command must not contain --user: because$/,
  ],
  [
    { reason: 'VersionUnknown', ...versions, detail: 'no shell' },
    /data of PostgreSQL 15, .* could not be read \(no shell\)/,
  ],
  [
    { reason: 'VersionIncompatible', ...versions, version: '17' },
    /which postgres:17 cannot open: .* version 17\. Nothing/,
  ],
  [{ reason: 'LoginRefused', detail: 'FATAL', isFirstStart: false }, /rejects the stored user or password: FATAL$/],
  [{ reason: 'LoginRefused', detail: 'FATAL', isFirstStart: true }, /FATAL\. .* first start was interrupted/],
  [{ reason: 'LoginNotTried', detail: 'busy' }, /no login could be tried: busy$/],
  [{ reason: 'NotPrepared', detail: 'no primary' }, /is not ready for clients: no primary$/],
  [{ reason: 'RotationFailed', detail: 'ERROR' }, /^The new credentials could not be set: ERROR$/],
  [{ reason: 'NewCredentialsRefused', detail: 'FATAL' }, /^The server refuses the new credentials: FATAL$/],
  [{ reason: 'OldCredentialsAccepted' }, /^Password change incomplete: the old password still works\. Deploy again/],
  [{ reason: 'OwnAccountRefused', detail: 'FATAL' }, /maintenance mode, but refuses Berth's own account: FATAL$/],
  [{ reason: 'ExternalPortUnreachable', detail: 'refused' }, /^The external port does not answer: refused$/],
  [
    { reason: 'VolumeMissing', ...data },
    /^Volume berth-v is missing on node two\. .*postgres\.start with acceptNewData: true/,
  ],
  [{ reason: 'DataReplaced', ...data }, /^Volume berth-v on node two holds other data than before.*postgres\.start/],
  [
    {
      reason: 'DataOutsideVolume',
      volume: 'berth-v',
      folder: '/data',
      places: [
        { path: '/srv/a', target: '/srv/a' },
        { path: '/data/wal', target: '/srv/wal' },
      ],
      more: 2,
      isFirstStart: true,
    },
    /in \/srv\/a, \/data\/wal \(a symbolic link leads to \/srv\/wal\) and 2 more\. .* berth-v is mounted at \/data, /,
  ],
  [
    { reason: 'FirstStartInterrupted', ...data, cause: null },
    /^The first start was interrupted .* volume berth-v of node two are incomplete\. Call postgres\.start with anew: true/,
  ],
  [{ reason: 'FirstStartInterrupted', ...data, cause: exited }, /^The server ended with exit code 3\nThe first start/],
  [{ reason: 'CopyUnsupported' }, /cannot be copied completely$/],
  [{ reason: 'CopyServerStopped' }, /^The temporary server for the copy has stopped$/],
  [
    { reason: 'CopyServerFailed', node: 'two', cause: exited },
    /copy on two did not start: The server ended with exit code 3$/,
  ],
  [{ reason: 'CopyFailed', detail: 'a broken pipe' }, /^a broken pipe$/],
  [
    { reason: 'CopyIncomplete', database: 'shop', objects: [{ type: 'VIEW', name: 'v' }] },
    /would lose objects of the database shop, because the server cannot read them: view v\. Correct or remove them, and/,
  ],
  [
    { reason: 'CopyDiffers', database: 'shop', differences: ['A', 'B'] },
    /database shop differs from the original\. A\. B$/,
  ],
  [
    { reason: 'ContentNotCopied', items: ["account 'bob'"], more: 2 },
    /outside its databases .*: account 'bob' and 2 more\. Remove/,
  ],
  [
    { reason: 'ExternalPortFailed', cause: exited },
    /^The external port could not be opened: The server ended with exit code 3$/,
  ],
  [{ reason: 'NodeLeaving', node: 'two' }, /^Node two is being removed from the swarm$/],
  [
    { reason: 'MoveFailed', node: 'two', cause: exited },
    /could not be moved to two: The server ended with exit code 3$/,
  ],
  [{ reason: 'RestoreStopped' }, /^The run of the restore was ended$/],
  [
    { reason: 'RestoreFailed', runId: '7', cause: { reason: 'RestoreStopped' } },
    /the data is unchanged \(run 7\): The run of the restore was ended$/,
  ],
  [
    { reason: 'RolledBack', cause: exited },
    /^The .* code 3\nRolled back: the last good specification runs and answers\.$/,
  ],
  [
    { reason: 'RollbackFailed', cause: exited, failure: { reason: 'NoNodeReady' } },
    /^The server ended with exit code 3\nThe rollback failed too: No node of the swarm is ready/,
  ],
  [{ reason: 'InternalError', deploymentId: 'd1' }, /^Internal error in Berth; search its log for deployment d1$/],
  [{ reason: 'InterruptedByRestore' }, /outcome is unknown/],
  [
    { reason: 'Starting', since: '10:00', silentSince: '10:05', lastLine: 'redo in progress' },
    /^The server has been starting since 10:00\. .* silent since 10:05\. Last line: redo in progress$/,
  ],
  [{ reason: 'Starting', since: '10:00', silentSince: null, lastLine: null }, /Its log is empty$/],
  [{ reason: 'ContainersStopping', containers: ['a'] }, /^Container a has not stopped yet$/],
  [{ reason: 'ContainersStopping', containers: ['a', 'b'] }, /^Containers a and b have not stopped yet$/],
  [{ reason: 'StopUnconfirmed', cause: { reason: 'NodeDown', ...node } }, /is down\. Berth cannot check whether/],
  [{ reason: 'WentDown', since: '2030-01-01', cause: null }, /^Went down at 2030-01-01$/],
  [{ reason: 'WentDown', since: '2030-01-01', cause: exited }, /^Went down at 2030-01-01: The server ended/],
  [{ reason: 'StillDown', seconds: 0, cause: exited }, /^Still down: The server ended with exit code 3$/],
  [{ reason: 'StillDown', seconds: 60, cause: null }, /^Still down after 60 s: Swarm runs no container for it$/],
  [{ reason: 'StillDown', seconds: 5, cause: exited }, /^Still down after 5 s: The server ended with exit code 3$/],
  [
    { reason: 'VolumeInUse', volume: 'v', service: null, services: [], containers: [] },
    /^The volume v is in use by a container, so its data was not deleted\./,
  ],
  [
    { reason: 'VolumeInUse', volume: 'v', service: 'a', services: ['b'], containers: ['c'] },
    /^The volume v is in use by the service b, the container c, so a was not started on it: two servers/,
  ],
  [
    { reason: 'VolumeNotCopied', volume: 'v', node: 'n', failure: 'inUse', users: ['a', 'b'], detail: null },
    /^The volume v on node n was not copied, and is unchanged\. It is in use by a, b\. .* Stop what uses it\. Then deploy again$/,
  ],
  [
    { reason: 'VolumeNotCopied', volume: 'v', node: 'n', failure: 'noSpace', users: [], detail: 'needs 9' },
    /unchanged\. The node has too little free space \(needs 9\)\. Then deploy again$/,
  ],
  [{ reason: 'VolumeNotRemoved', detail: 'busy' }, /^The engine did not remove the volume: busy$/],
  [{ reason: 'VolumeKept', volume: 'berth-v', detail: 'busy' }, /volume berth-v is kept, because .* \(busy\)$/],
  [
    { reason: 'VolumeNodeMissing', node: 'two' },
    /^Node two has left the swarm\. The data on its disk was not deleted$/,
  ],
  [{ reason: 'LastManager', node: 'two' }, /^two is the last manager of the swarm\./],
  [{ reason: 'OwnNode', node: 'two' }, /^two is the node that Berth's own engine runs on\./],
  [
    { reason: 'QuorumAtRisk', node: 'two', reachable: 1, managers: 3, needed: 2, unreachable: ['a', 'b'] },
    /^Without two only 1 of 3 managers would be reachable, but the swarm needs 2 .* first: a, b$/,
  ],
  [{ reason: 'DrainPending' }, /about to be drained$/],
  [{ reason: 'NodeDraining' }, /being drained$/],
  [{ reason: 'NodeDemoting' }, /being demoted to a worker$/],
  [
    { reason: 'TasksOnNode', count: 1, services: ['theirs'] },
    /^The node is drained, but 1 container of theirs is still there$/,
  ],
  [{ reason: 'TasksOnNode', count: 2, services: ['a', 'b'] }, /drained, but 2 containers of a, b are still there$/],
  [{ reason: 'StillManager' }, /the swarm still lists it as a manager$/],
  [
    { reason: 'NodeRemovalTimedOut', minutes: 10, cause: { reason: 'TasksOnNode', count: 1, services: ['theirs'] } },
    /^The node could not be removed within 10 minutes\. .* 1 container of theirs is still there$/,
  ],
  [
    { reason: 'AvailabilityRestored', availability: 'active', cause: { reason: 'LastManager', node: 'two' } },
    /^two is the last manager.*\. The node's availability is active again$/,
  ],
  [
    {
      reason: 'AvailabilityNotRestored',
      cause: { reason: 'LastManager', node: 'two' },
      failure: { reason: 'EngineFailed', failure: 'failed', detail: 'no quorum' },
    },
    /^two is the last manager.*\. The engine did not restore the node's availability either: no quorum$/,
  ],
  [{ reason: 'VolumesLost', volumes: ['shop (mysql)'] }, /^Lost with the node: shop \(mysql\)$/],
  [{ reason: 'RegistryDown', cause: exited }, /^The registry does not run: The server ended with exit code 3$/],
  [{ reason: 'RegistryLoginFailed', detail: 'No' }, /^The registry runs, but a login to it fails\. No$/],
  [{ reason: 'RegistryOpen', host: 'r:5000' }, /r:5000 requires no login, so another registry answers there$/],
  [{ reason: 'CollectionOnOtherNode' }, /the registry is on another node$/],
  [{ reason: 'CollectionFailed', detail: 'exit' }, /^The garbage collection failed: exit$/],
  [{ reason: 'NothingToCollect' }, /^No unused blobs or manifests were found$/],
  [{ reason: 'GarbageCollected', blobs: 3, manifests: 2 }, /^3 blobs and 2 manifests that no image uses were deleted$/],
  [{ reason: 'ApplicationMissing', given: 'shop' }, /^No service on the swarm has .*"shop" yet$/],
  [{ reason: 'ApplicationAmbiguous', given: 'shop', services: ['a', 'b'] }, /"shop": a, b$/],
  [{ reason: 'ApplicationOffNetwork', service: 'shop', network: 'berth' }, /--network-add berth shop$/],
  [{ reason: 'GatewayCreating' }, /^The gateway is being created$/],
  [{ reason: 'GatewayChanging' }, /^The gateway is being changed$/],
  [{ reason: 'GatewayRemoving' }, /^The gateway is being removed$/],
  [{ reason: 'GatewayDown', cause: exited }, /^The gateway does not run: The server ended with exit code 3$/],
  [{ reason: 'NothingListens', targetPort: 80 }, /^The application does not answer at port 80 yet$/],
  [{ reason: 'Legacy', message: 'It went down at noon' }, /^It went down at noon$/],
]

for (const [reason, sentence] of table) {
  test(`renders ${reason.reason} as ${sentence.source.slice(0, 60)}`, () =>
    assert.match(reasonMessage(reason), sentence))
}

test('covers every reason', () => {
  const named = new Set(table.map(([{ reason }]) => reason))
  assert.deepEqual(
    deploymentReasons.filter((name) => !named.has(name)),
    [],
  )
})

test('returns both the message and the code of a reason, or null for both', () => {
  assert.deepEqual(reasonAnswer(null), { reason: null, reasonCode: null })
  const answer = reasonAnswer(toJson<DeploymentReason>({ reason: 'NothingToCollect' }))
  assert.deepEqual(answer, { reason: 'No unused blobs or manifests were found', reasonCode: 'NothingToCollect' })
})
