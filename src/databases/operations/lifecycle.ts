/** Operations that change what runs: deploy, start, stop, reload and saveExternalPort. */
import { checkAccess } from '../../api/access.ts'
import type { CommandContext, Operation } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import { type Kind, withoutLasting } from '../../kinds/kind.ts'
import { checkPort, hasPendingChanges, writeRow } from './changes.ts'
import { deployInput, idInput, portInput, reloadInput, startInput } from './fields.ts'
import type { Row } from './records.ts'
import { begin, beginFromRecord, beginStart } from '../begin-work.ts'
import { pick } from '../columns.ts'
import { openSettings, openTarget, sealSettings, sealTarget, type Target } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { Commands } from './commands.ts'
import { regainAccount } from './regain-account.ts'

export const lifecycleOperations = (kind: Kind, { deploymentCommand }: Commands): Operation[] => [
  deploymentCommand({
    verb: 'deploy',
    summary: 'Start the service with the configuration of the record, or change the running service to it',
    access: 'user:deploy',
    input: deployInput(kind),
    refusals: ['PRECONDITION_FAILED'],
    async run(context, row, { pull = false, acceptNewData, anew }) {
      const begun = await beginFromRecord(context, row, kind, 'deploy', { shouldPull: pull })
      return onVolumeAsRequested(context, begun, kind, acceptNewData, anew)
    },
  }),
  deploymentCommand({
    verb: 'start',
    summary: 'Start a stopped service with its last deployed configuration',
    access: 'user:deploy',
    input: startInput(kind),
    refusals: ['PRECONDITION_FAILED'],
    async run(context, row, { acceptNewData, anew }) {
      const target = openTarget(context.vault, 'target', row)
      if (target === null) refuse('PRECONDITION_FAILED', `This service was never deployed. Call ${kind.name}.deploy`)
      const begun = await beginStart(context, row, target)
      return onVolumeAsRequested(context, begun, kind, acceptNewData, anew)
    },
  }),
  deploymentCommand({
    verb: 'stop',
    summary: 'Stop the service; keep its record and its data',
    access: 'user:deploy',
    input: idInput(kind),
    refusals: [],
    run: (context, row) => begin(context, row, 'stop', { goal: 'stopped' }),
  }),
  deploymentCommand({
    verb: 'reload',
    summary: 'Restart the service with the configuration of the record',
    access: 'user:deploy',
    input: reloadInput(kind),
    refusals: ['PRECONDITION_FAILED'],
    async run(context, row, { appName }) {
      if (appName !== row.appName) refuseField('appName', `must be the appName of this service: ${row.appName}`)
      if (row.goal !== 'up') {
        refuse('PRECONDITION_FAILED', `This service is stopped or was never deployed. Call ${kind.name}.deploy`)
      }
      return beginFromRecord(context, row, kind, 'reload', { shouldRestart: true })
    },
  }),
  regainAccount(kind, { deploymentCommand }),
  deploymentCommand({
    verb: 'saveExternalPort',
    summary: 'Open, change or close the external port on the node, without a restart of the database',
    access: 'user:admin',
    input: portInput(kind),
    refusals: [],
    run: (context, row, { externalPort }) => savePort(context, row, externalPort),
  }),
]

/**
 * If requested, lets the next container run on any data that is on the volume, including none, or on a new volume.
 *
 * @throws PRECONDITION_FAILED if a new volume is requested although the present one has data
 */
async function onVolumeAsRequested(
  context: CommandContext,
  row: Row,
  kind: Kind,
  acceptNewData: boolean | undefined,
  anew: boolean | undefined,
): Promise<Row> {
  if (row.volumeId === null || (acceptNewData !== true && anew !== true)) return row
  checkAccess('user:admin', context.actor)
  if (anew === true) return beginAnew(context, row, row.volumeId, kind)
  await volumes.acceptNewData(context.tx, row.volumeId)
  return { ...row, volumeFault: null }
}

/** Gives the database a new volume on the same node, and keeps the old one. */
async function beginAnew(context: CommandContext, row: Row, oldId: string, kind: Kind): Promise<Row> {
  const { tx, vault, now } = context
  const old = await volumes.get(tx, oldId)
  if (old.serverVersion !== null || old.identity !== null) {
    refuseField(
      'anew',
      'Berth has logged in to the data of this service, so the data is complete. To begin without it, create another service',
      'PRECONDITION_FAILED',
    )
  }
  const id = context.newId()
  const settings = withoutLasting(kind, openSettings(vault, 'database', row))
  const sealed = sealSettings(vault, 'volume', id, settings, kind.secrets)
  const volume = volumes.newVolume(
    id,
    { ...pick(old, lastingColumns), ...sealed, generation: old.generation + 1, dockerImage: row.dockerImage },
    now(),
  )
  await volumes.keep(tx, oldId, now())
  await volumes.insert(tx, volume)
  await tx.updateTable('database').set({ volumeId: id }).where('id', '=', row.id).execute()
  return { ...row, volumeId: id, volumeName: volume.name, volumeFault: null }
}

/** The columns that a new volume of the same database has from the old one. */
const lastingColumns = [
  'kind',
  'ownerKind',
  'ownerId',
  'dataPath',
  'nodeId',
  'nodeName',
  'nodeAddress',
  'appName',
] as const

/**
 * Stores the external port. If the service should be running, begins a deployment that opens the port. Otherwise its
 * next start opens the port.
 */
async function savePort(context: CommandContext, row: Row, externalPort: number | null): Promise<Row> {
  await checkPort(context.tx, row, externalPort, context.config)
  const target = openTarget(context.vault, 'target', row)
  if (target === null) return writeRow(context, { ...row, externalPort })
  const changed = await storeTarget(context, { ...row, externalPort }, { ...target, externalPort })
  return row.goal === 'up' ? begin(context, changed, 'saveExternalPort', {}) : changed
}

/** Stores the record and the target, and whether they differ. Does not change what runs. */
async function storeTarget(context: CommandContext, row: Row, target: Target): Promise<Row> {
  const changed: Row = { ...row, target: sealTarget(context.vault, 'target', row.id, target) }
  changed.pendingChanges = hasPendingChanges(context.vault, changed) ? 1 : 0
  await context.tx.updateTable('database').set({ target: changed.target }).where('id', '=', row.id).execute()
  return writeRow(context, changed)
}
