/** Operations that change what runs: deploy, start, stop, reload and saveExternalPort. */
import { checkAccess } from '../../api/access.ts'
import type { CommandContext, Operation } from '../../api/contract.ts'
import { checkRole } from '../../api/reach/reach.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { checkPort, hasPendingChanges, writeRow } from './changes.ts'
import { deployInput, idInput, portInput, reloadInput, startInput } from './fields.ts'
import type { Row } from './records.ts'
import { begin, beginFromRecord, beginStart } from '../begin-work.ts'
import { openTarget, sealTarget, type Target } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { Commands } from './commands.ts'

export const lifecycleOperations = (kind: Kind, { deploymentCommand }: Commands): Operation[] => [
  deploymentCommand({
    verb: 'deploy',
    summary: 'Start the service with the configuration of the record, or change the running service to it',
    access: 'user:deploy',
    input: deployInput(kind),
    refusals: ['PRECONDITION_FAILED'],
    async run(context, row, { pull = false, acceptNewData }) {
      const begun = await beginFromRecord(context, row, kind, 'deploy', { shouldPull: pull })
      return acceptIfRequested(context, begun, acceptNewData)
    },
  }),
  deploymentCommand({
    verb: 'start',
    summary: 'Start a stopped service with its last deployed configuration',
    access: 'user:deploy',
    input: startInput(kind),
    refusals: ['PRECONDITION_FAILED'],
    async run(context, row, { acceptNewData }) {
      const target = openTarget(context.vault, 'target', row)
      if (target === null) refuse('PRECONDITION_FAILED', `This service was never deployed. Call ${kind.name}.deploy`)
      return acceptIfRequested(context, await beginStart(context, row, target), acceptNewData)
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
  deploymentCommand({
    verb: 'saveExternalPort',
    summary: 'Open, change or close the external port on the node, without a restart of the database',
    access: 'user:admin',
    input: portInput(kind),
    refusals: [],
    run: (context, row, { externalPort }) => savePort(context, row, externalPort),
  }),
]

/** If requested, lets the next container run on any data that is on the volume, including none. */
async function acceptIfRequested(context: CommandContext, row: Row, acceptNewData: boolean | undefined): Promise<Row> {
  if (acceptNewData !== true || row.volumeId === null) return row
  checkAccess('user:admin', context.actor)
  checkRole(context.actor.role, 'owner', 'acceptNewData')
  await volumes.acceptNewData(context.tx, row.volumeId)
  return { ...row, volumeFault: null }
}

/**
 * Stores the external port. If the service should be running, begins a deployment that opens the port. Otherwise its
 * next start opens the port.
 */
async function savePort(context: CommandContext, row: Row, externalPort: number | null): Promise<Row> {
  await checkPort(context, row, externalPort)
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
