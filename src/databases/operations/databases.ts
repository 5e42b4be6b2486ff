/** The operations on databases of one kind, except logs, statistics and moves. */
import { z } from 'zod'
import { canSeePasswords, type Holder } from '../../api/access.ts'
import { type CommandContext, command, type Operation, query } from '../../api/contract.ts'
import { initialColumns } from '../columns.ts'
import { type Commands, commandsOf, readContext } from './commands.ts'
import { lifecycleOperations } from './lifecycle.ts'
import { noDrift } from '../status.ts'
import { refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { preparedInsert } from '../../store/prepared.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { openSettings, sealEnv, sealSettings } from '../targets.ts'
import {
  changedRow,
  checkLasting,
  checkPort,
  checkProject,
  checkReservations,
  isNameTaken,
  makeAppName,
  plainFrom,
  refuseName,
  settingsFrom,
  settingsIn,
  writeRow,
} from './changes.ts'
import {
  type CreateInput,
  createInput,
  envInput,
  idIn,
  inputOf,
  readInput,
  record,
  statusInput,
  type UpdateInput,
  updateInput,
} from './fields.ts'
import { imageFrom } from './images.ts'
import { placementFrom } from './placement.ts'
import { findRow, type Row, toRecord } from './records.ts'
import { beginRemove, checkVersion } from '../begin-work.ts'

/** The column values of a new database before the input is applied. */
export const initialState = {
  ...initialColumns,
  statusReason: null,
  goal: 'none',
  target: null,
  lastGood: null,
  pendingChanges: 0,
  deploymentId: null,
  volumeId: null,
  removeData: 0,
  observed: 'unknown',
  containerState: null,
  drift: noDrift,
  downSince: null,
  lastDeployedAt: null,
  provenTask: null,
} as const satisfies Partial<DatabaseTable>

export function databaseOperations(kind: Kind): Operation[] {
  const output = record(kind)
  const commands = commandsOf(kind, output)
  return [
    create(kind, output),
    one(kind, output),
    ...lifecycleOperations(kind, commands),
    ...changeOperations(kind, commands),
  ]
}

type Output = ReturnType<typeof record>

function create(kind: Kind, output: Output) {
  return command({
    name: `${kind.name}.create`,
    summary: `Create a ${kind.label} service; deploy starts it`,
    access: 'user:admin',
    input: createInput(kind),
    output,
    refusals: ['NOT_FOUND', 'CONFLICT'],
    run: async (context, input) =>
      toRecord(readContext(context), await createService(context, input, kind), kind, false),
  })
}

/** The fields that are no part of the tag of a database: Berth observes them, or derives them from other fields. */
const observedFields = [
  'applicationStatus',
  'statusReason',
  'statusCode',
  'pendingChanges',
  'resolvedImage',
  'imageDigest',
  'imageVersion',
  'connection',
  'node',
  'containerState',
  'drift',
  'driftCodes',
  'driftDetails',
  'volume',
  'volumeFault',
  'lastDeployedAt',
  'backups',
] as const

const revealsSecret = (actor: Holder, { masked }: z.output<ReturnType<typeof readInput>>) =>
  masked !== 'true' && canSeePasswords(actor)

function one(kind: Kind, output: Output) {
  return query({
    name: `${kind.name}.one`,
    summary: `Read a ${kind.label} service with its passwords and connection URLs`,
    description:
      'API tokens of scope read or deploy receive masked passwords, and so does every call with masked=true. Reads of ' +
      'unmasked passwords are recorded in the audit log, at most once in ten minutes for each token and service.',
    access: 'user:read',
    revealsSecret,
    input: readInput(kind),
    output,
    refusals: ['NOT_FOUND'],
    tag: { observed: observedFields, masked: kind.secrets },
    async run(context, input) {
      const row = await findRow(context.db, kind, idIn(kind, input))
      // After the first deploy the answer has the node of the volume in place of the requested one.
      context.addToTag([openSettings(context.vault, 'database', row), row.node])
      return toRecord(context, row, kind, revealsSecret(context.actor, input))
    },
  })
}

const changeOperations = (kind: Kind, { recordCommand }: Commands) => [
  recordCommand({
    verb: 'remove',
    summary: 'Remove the service; keep its volume unless removeData is true',
    access: 'user:admin',
    input: inputOf(kind, {
      removeData: z
        .boolean()
        .optional()
        .describe('If true, delete the volume and its data too. Default: the volume is kept, see volume.all'),
    }),
    refusals: ['CONFLICT'],
    run: (context, row, { removeData = false }) => beginRemove(context, row, removeData),
  }),
  recordCommand({
    verb: 'saveEnvironment',
    summary: 'Store environment variables; the next deploy or reload applies them',
    access: 'user:admin',
    input: envInput(kind),
    refusals: [],
    run: (context, row, { env }) => writeRow(context, changedRow(context.vault, row, { env }, kind)),
  }),
  recordCommand({
    verb: 'changeStatus',
    summary: 'Overwrite applicationStatus until Berth records the next one',
    access: 'user:admin',
    input: statusInput(kind),
    refusals: [],
    run: (context, row, { applicationStatus }) => writeRow(context, { ...row, applicationStatus }),
  }),
  recordCommand({
    verb: 'update',
    summary: 'Change the record; the next deploy or reload applies it',
    access: 'user:admin',
    input: updateInput(kind),
    refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
    run: (context, row, input) => update(context, row, input, kind),
  }),
]

const insertDatabase = preparedInsert('database')

type CreateContext = Pick<CommandContext, 'tx' | 'vault' | 'config' | 'newId' | 'now'>

/** Inserts the record of a new database. Deploy starts it. */
export async function createService(context: CreateContext, input: CreateInput, kind: Kind): Promise<Row> {
  const { tx, vault, config } = context
  const { name, projectId, env = null, createdAt, appName: requestedName } = input
  if (createdAt !== undefined) refuseField('createdAt', 'must be left out: Berth sets it')
  await checkProject(tx, projectId)
  if (requestedName !== '' && (await isNameTaken(tx, requestedName))) refuseName(requestedName)
  const appName = requestedName === '' ? await makeAppName(tx, name, kind) : requestedName
  const dockerImage = await imageFrom(tx, config.imageAliases, input.dockerImage, input.registryId)
  const id = context.newId()
  const sealed = sealSettings(vault, 'database', id, settingsFrom(settingsIn(input, kind), null, kind), kind.secrets)
  const row: DatabaseTable = {
    ...initialState,
    ...plainFrom(input),
    ...(await placementFrom(tx, input, null, kind)),
    ...sealed,
    id,
    kind: kind.name,
    name,
    projectId,
    appName,
    dockerImage,
    env: sealEnv(vault, id, env),
    createdAt: context.now().toISOString(),
  }
  await checkPort(tx, row, row.externalPort, config)
  checkReservations(row)
  await insertDatabase(tx, row)
  return row
}

async function update(context: CommandContext, row: Row, input: UpdateInput, kind: Kind): Promise<Row> {
  const { createdAt, projectId, registryId } = input
  if (createdAt !== undefined && createdAt !== row.createdAt) {
    refuseField('createdAt', `cannot be changed: leave it out or send ${row.createdAt}`)
  }
  if (projectId !== undefined && projectId !== row.projectId) await checkProject(context.tx, projectId)
  const { imageAliases } = context.config
  const dockerImage = await imageFrom(context.tx, imageAliases, input.dockerImage, registryId)
  const placement = await placementFrom(context.tx, input, row, kind)
  const changed = { ...changedRow(context.vault, row, { ...input, dockerImage }, kind), ...placement }
  await checkLasting(context.tx, context.vault, changed, kind)
  const { appName } = changed
  if (appName !== row.appName && (await isNameTaken(context.tx, appName, row.id))) refuseName(appName)
  if (changed.externalPort !== row.externalPort) await checkPort(context.tx, row, changed.externalPort, context.config)
  checkReservations(changed)
  if (changed.dockerImage !== row.dockerImage) await checkVersion(context.tx, changed, kind, imageAliases)
  return writeRow(context, changed)
}
