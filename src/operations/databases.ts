/** The eleven operations of the contract for one kind of database. A kind adds nothing here: it is data. */
import { z } from 'zod'
import { type Access, checkAccess, seesPasswords } from '../access.ts'
import { command, type CommandContext, type Operation, query, type QueryContext } from '../contract.ts'
import { type Code, refuse, refuseField } from '../errors.ts'
import type { Kind } from '../kinds/kind.ts'
import { preparedInsert } from '../store/prepared.ts'
import type { DatabaseTable } from '../store/schema.ts'
import { openTarget, sealEnv, sealSettings, sealTarget, type Target } from '../store/targets.ts'
import {
  changedRow,
  checkPort,
  checkProject,
  checkReservations,
  columnsOf,
  differs,
  isNameTaken,
  makeAppName,
  plainFrom,
  refuseName,
  settingsFrom,
  settingsIn,
} from './database-changes.ts'
import {
  appNameOf,
  createInput,
  deployInput,
  envInput,
  idInput,
  portInput,
  record,
  startInput,
  statusInput,
  updateInput,
} from './database-fields.ts'
import { imageFrom } from './database-images.ts'
import { placementFrom } from './database-placement.ts'
import { type Answering, findRow, type Row, toRecord } from './database-records.ts'
import { begin, beginFromRecord, beginRemove, beginStart, checkVersion } from './database-work.ts'

type Input = Record<string, unknown>

/** What a new row begins as. */
export const blank = {
  description: null,
  command: null,
  env: null,
  memoryReservation: null,
  memoryLimit: null,
  cpuReservation: null,
  cpuLimit: null,
  externalPort: null,
  applicationStatus: 'idle',
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
  drift: '[]',
  downSince: null,
  lastDeployedAt: null,
  node: null,
  nodeLabel: null,
  provenTask: null,
} as const satisfies Partial<DatabaseTable>

/** A transaction is what a command reads by. */
const writing = ({ tx, ...rest }: CommandContext): Answering => ({ ...rest, db: tx })

export function databaseOperations(kind: Kind): Operation[] {
  const name = (verb: string) => `${kind.name}.${verb}`
  const idOf = (input: Input) => input[kind.idField] as string
  const rowOf = (context: CommandContext, input: Input) => findRow(context.tx, kind, idOf(input))
  const answer = (context: Answering, row: Row) => toRecord(context, row, kind, false)
  const output = record(kind)

  /** Long work: answered as soon as it is recorded, and with `Prefer: wait` once more when it has settled. */
  const work = (
    verb: string,
    summary: string,
    access: Access,
    input: z.ZodObject,
    refusals: Code[],
    run: (context: CommandContext, row: Row, input: Input) => Promise<Row>,
  ) =>
    command({
      name: name(verb),
      summary,
      access,
      input,
      output,
      refusals: ['NOT_FOUND', 'CONFLICT', ...refusals],
      run: async (context, given) => answer(writing(context), await run(context, await rowOf(context, given), given)),
      settled: async (context: QueryContext, given) => answer(context, await findRow(context.db, kind, idOf(given))),
    })

  /** Answered once: a change of the record alone, or a removal, after which there is nothing to read again. */
  const change = (
    verb: string,
    summary: string,
    input: z.ZodObject,
    refusals: Code[],
    run: (context: CommandContext, row: Row, input: Input) => Promise<Row>,
  ) =>
    command({
      name: name(verb),
      summary,
      access: 'user:admin',
      input,
      output,
      refusals: ['NOT_FOUND', ...refusals],
      run: async (context, given) => answer(writing(context), await run(context, await rowOf(context, given), given)),
    })

  return [
    command({
      name: name('create'),
      summary: `Make a ${kind.label} service; deploy starts it`,
      access: 'user:admin',
      input: createInput(kind),
      output,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      run: async (context, input) => answer(writing(context), await createService(context, input, kind)),
    }),
    query({
      name: name('one'),
      summary: `Read a ${kind.label} service with its passwords and connection URLs`,
      description:
        'An API token of scope read or deploy gets the passwords masked. Who gets them is noted in the ' +
        'audit log, once in ten minutes for each token and service.',
      access: 'user:read',
      tellsSecret: seesPasswords,
      input: idInput(kind),
      output,
      refusals: ['NOT_FOUND'],
      run: async (context, input) =>
        toRecord(context, await findRow(context.db, kind, idOf(input)), kind, seesPasswords(context.actor)),
    }),
    work(
      'deploy',
      'Make what runs match the record',
      'user:deploy',
      deployInput(kind),
      ['PRECONDITION_FAILED'],
      (context, row, input) => deploy(context, row, input, kind),
    ),
    work(
      'start',
      'Start a stopped service as it was last deployed',
      'user:deploy',
      startInput(kind),
      ['PRECONDITION_FAILED'],
      (context, row, input) => start(context, row, input, name('deploy')),
    ),
    work('stop', 'Stop the service and keep everything', 'user:deploy', idInput(kind), [], (context, row) =>
      begin(context, row, 'stop', { goal: 'stopped' }),
    ),
    work(
      'reload',
      'Restart the service with its record as it is',
      'user:deploy',
      idInput(kind).extend({ appName: appNameOf(kind) }),
      ['PRECONDITION_FAILED'],
      (context, row, input) => reload(context, row, input.appName as string, kind),
    ),
    work(
      'saveExternalPort',
      'Open, move or close the port on the node; never restarts the database',
      'user:admin',
      portInput(kind),
      [],
      (context, row, input) => savePort(context, row, input.externalPort as number | null),
    ),
    change(
      'remove',
      'Remove the service; its volume is kept unless removeData is true',
      idInput(kind).extend({ removeData: z.boolean().optional() }),
      ['CONFLICT'],
      (context, row, input) => beginRemove(context, row, input.removeData === true),
    ),
    change(
      'saveEnvironment',
      'Store environment variables; the next deploy or reload applies them',
      envInput(kind),
      [],
      (context, row, input) => write(context, changedRow(context.vault, row, { env: input.env }, kind)),
    ),
    change(
      'changeStatus',
      'Store a status; the next observation overwrites it',
      statusInput(kind),
      [],
      (context, row, input) =>
        write(context, { ...row, applicationStatus: input.applicationStatus as Row['applicationStatus'] }),
    ),
    change(
      'update',
      'Change the record; the next deploy or reload applies it',
      updateInput(kind),
      ['CONFLICT', 'PRECONDITION_FAILED'],
      (context, row, input) => update(context, row, input, kind),
    ),
  ]
}

const insertDatabase = preparedInsert('database')

type Creating = Pick<CommandContext, 'tx' | 'vault' | 'config' | 'newId' | 'now'>

/** A record that runs nothing yet. */
export async function createService(context: Creating, input: Input, kind: Kind): Promise<Row> {
  const { tx, vault, config } = context
  const { name, projectId, env, createdAt } = input as { name: string; projectId: string } & Partial<Row>
  if (createdAt !== undefined) refuseField('createdAt', 'is set by Berth: leave it out')
  await checkProject(tx, projectId)
  const asked = input.appName as string
  if (asked !== '' && (await isNameTaken(tx, asked))) refuseName(asked)
  const appName = asked === '' ? await makeAppName(tx, name, kind) : asked
  const dockerImage = (await imageAsked(context, input))!
  const id = context.newId()
  const sealed = sealSettings(vault, 'database', id, settingsFrom(settingsIn(input, kind), null, kind), kind.secrets)
  const row: DatabaseTable = {
    ...blank,
    ...plainFrom(input),
    ...(await placementFrom(tx, input, null, kind)),
    ...sealed,
    id,
    kind: kind.name,
    name,
    projectId,
    appName,
    dockerImage,
    env: sealEnv(vault, id, env ?? null),
    createdAt: context.now().toISOString(),
  }
  await checkPort(tx, row, row.externalPort, config)
  checkReservations(row)
  await insertDatabase(tx, row)
  return row
}

const imageAsked = ({ tx, config }: Pick<CommandContext, 'tx' | 'config'>, input: Input) =>
  imageFrom(tx, config.imageAliases, input.dockerImage as string | undefined, input.registryId as string | undefined)

async function update(context: CommandContext, row: Row, input: Input, kind: Kind): Promise<Row> {
  const { createdAt, projectId } = input as { createdAt?: string; projectId?: string }
  if (createdAt !== undefined && createdAt !== row.createdAt) {
    refuseField('createdAt', `cannot be changed: leave it out or send ${row.createdAt}`)
  }
  if (projectId !== undefined && projectId !== row.projectId) await checkProject(context.tx, projectId)
  const dockerImage = await imageAsked(context, input)
  const placement = await placementFrom(context.tx, input, row, kind)
  const changed = { ...changedRow(context.vault, row, { ...input, dockerImage }, kind), ...placement }
  const { appName } = changed
  if (appName !== row.appName && (await isNameTaken(context.tx, appName, row.id))) refuseName(appName)
  if (changed.externalPort !== row.externalPort) await checkPort(context.tx, row, changed.externalPort, context.config)
  checkReservations(changed)
  const { imageAliases } = context.config
  if (changed.dockerImage !== row.dockerImage) await checkVersion(context.tx, changed, kind, imageAliases)
  return write(context, changed)
}

async function write({ tx }: CommandContext, row: Row): Promise<Row> {
  await tx.updateTable('database').set(columnsOf(row)).where('id', '=', row.id).execute()
  return row
}

async function deploy(context: CommandContext, row: Row, input: Input, kind: Kind): Promise<Row> {
  const begun = await beginFromRecord(context, row, kind, 'deploy', { pull: input.pull === true })
  return acceptIfAsked(context, begun, input)
}

async function start(context: CommandContext, row: Row, input: Input, deploy: string): Promise<Row> {
  const target = openTarget(context.vault, 'target', row)
  if (target === null) refuse('PRECONDITION_FAILED', `This service was never deployed. Call ${deploy}`)
  return acceptIfAsked(context, await beginStart(context, row, target), input)
}

async function reload(context: CommandContext, row: Row, appName: string, kind: Kind): Promise<Row> {
  if (appName !== row.appName) refuseField('appName', `is not this service's: send ${row.appName}`)
  if (row.goal !== 'up') {
    refuse('PRECONDITION_FAILED', `This service is stopped. Call ${kind.name}.start or ${kind.name}.deploy`)
  }
  return beginFromRecord(context, row, kind, 'reload', { restart: true })
}

/** What its next container finds on the volume, or begins with, is its data from then on. */
async function acceptIfAsked(context: CommandContext, row: Row, { acceptNewData }: Input): Promise<Row> {
  if (acceptNewData !== true || row.volumeId === null) return row
  checkAccess('user:admin', context.actor)
  await context.tx
    .updateTable('volume')
    .set({ identity: null, serverVersion: null, fault: null })
    .where('id', '=', row.volumeId)
    .execute()
  return { ...row, volumeFault: null }
}

/** Of a service that is not up the port is stored, and opened by its next start. */
async function savePort(context: CommandContext, row: Row, externalPort: number | null): Promise<Row> {
  await checkPort(context.tx, row, externalPort, context.config)
  const target = openTarget(context.vault, 'target', row)
  if (target === null) return write(context, { ...row, externalPort })
  const changed = await retarget(context, { ...row, externalPort }, { ...target, externalPort })
  return row.goal === 'up' ? begin(context, changed, 'saveExternalPort', {}) : changed
}

/** Stores a target with what the record says of it; what runs is not touched. */
async function retarget(context: CommandContext, row: Row, target: Target): Promise<Row> {
  const changed: Row = { ...row, target: sealTarget(context.vault, 'target', row.id, target) }
  changed.pendingChanges = differs(context.vault, changed) ? 1 : 0
  await context.tx.updateTable('database').set({ target: changed.target }).where('id', '=', row.id).execute()
  return write(context, changed)
}
