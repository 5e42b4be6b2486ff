/** Carries out a plan, step by step. A plan that was interrupted anywhere can be computed anew and carried out again. */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { BerthError, type Client } from '../../client/client.ts'
import { CommandError } from '../exit.ts'
import { performOn } from '../progress.ts'
import type { Session } from '../connection/session.ts'
import { stepLine } from './show.ts'
import type { State } from './state.ts'
import type { Step } from './step.ts'

interface Execution {
  session: Session
  client: Client
  /** The ids of records, by the subjects of steps. */
  ids: Map<string, string>
  /** How long to wait for the end of work on one database, in seconds; 0: not at all. */
  waitSeconds: number
  isQuiet: boolean
}

/**
 * Carries out the steps in order and stops at the first that fails.
 * @throws BerthError or CommandError of the failed step
 */
export async function carryOut(
  session: Session,
  client: Client,
  steps: readonly Step[],
  state: State,
  options: Pick<Execution, 'waitSeconds' | 'isQuiet'>,
): Promise<void> {
  const execution: Execution = { session, client, ids: idsIn(state), ...options }
  for (const [i, step] of steps.entries()) {
    try {
      if (session.interrupted.aborted) throw new CommandError('interrupted', 'Interrupted')
      await perform(execution, step)
    } catch (error) {
      reportFailure(session, steps, i)
      throw error
    }
    if (!options.isQuiet) session.output.line(`${session.output.styled('good', 'done')} ${stepLine(step)}`)
  }
}

function reportFailure({ output }: Session, steps: readonly Step[], failed: number): void {
  const remaining = steps.slice(failed).map((step) => `  ${stepLine(step)}`)
  output.remark(`${failed} of ${steps.length} steps are done. These remain:\n${remaining.join('\n')}`)
  output.remark('Run the command again to go on.')
}

const idsIn = ({ destinations, projects, databases }: State): Map<string, string> =>
  new Map([
    ...destinations.map(({ name, destinationId }) => [`destination ${name}`, destinationId] as const),
    ...projects.map(({ name, projectId }) => [`project ${name}`, projectId] as const),
    ...databases.map(({ summary: each }) => [`database ${each.projectName}/${each.name}`, each.databaseId] as const),
  ])

async function perform({ session, client, ids, waitSeconds }: Execution, step: Step): Promise<void> {
  const referenced = Object.entries(step.references).map(([field, subject]) => [field, ids.get(subject)])
  const input = { ...step.input, ...Object.fromEntries(referenced) }
  if (step.action === 'create') {
    ids.set(step.subject, await createOnce(client, step, input))
  } else if (step.waitsFor === null) {
    await client.call(step.operation, input, { signal: session.interrupted })
  } else {
    const databases = await client.database.all({})
    const database = databases.find(({ databaseId }) => databaseId === ids.get(`database ${step.waitsFor}`))
    if (database === undefined) throw new CommandError('notFound', `${step.waitsFor} was removed in the meantime`)
    const verb = step.action === 'change' ? 'change' : step.action
    await performOn(session, client, database, verb, waitSeconds, (options) =>
      client.call(step.operation, input, options),
    )
  }
}

/** How often a create is repeated while the same call of an earlier, killed run is in progress. */
const maxAttempts = 20
const pauseMs = 500

/**
 * Creates a record exactly once, also if an earlier run was killed while its call was in progress: both calls have the
 * same Idempotency-Key, so Berth answers the second one with the record of the first. If that record was removed or
 * renamed since, the call is repeated with a key of its own.
 * @returns the id of the record
 */
async function createOnce(client: Client, step: Step, input: Record<string, unknown>): Promise<string> {
  const key = keyOf(step, input)
  for (let attempt = 1; ; attempt++) {
    try {
      const id = idIn(step, await client.call(step.operation, input, { idempotencyKey: key }))
      if (await isPresent(client, step, id, input)) return id
      break
    } catch (error) {
      if (!(error instanceof BerthError)) throw error
      if (isUsedKey(error)) break
      if (!isInProgress(error) || attempt === maxAttempts) throw error
      await pause(pauseMs)
    }
  }
  return idIn(step, await client.call(step.operation, input))
}

const idIn = ({ idField }: Step, answer: unknown): string => (answer as Record<string, string>)[idField]!

/** The key was used with another secret, so the record of that call was removed or renamed. */
const isUsedKey = ({ status, issues, reason }: BerthError) => status === 422 && issues.length === 0 && reason === null

const isInProgress = ({ code, issues }: BerthError) => code === 'CONFLICT' && issues.length === 0

/** Secrets are not part of the key, because Berth stores keys as they are. */
function keyOf({ operation, secretFields }: Step, input: Record<string, unknown>): string {
  const open = Object.entries(input).filter(([name]) => !secretFields.includes(name))
  const hash = createHash('sha256').update(JSON.stringify([operation, open.sort()]))
  return `berth-apply-${hash.digest('base64url')}`
}

/** The fields by which files know records. */
const identityFields = ['name', 'projectId', 'destinationId', 'prefix', 'applicationId', 'regex', 'username']

/** Whether the record of the answer is still there under its names. */
async function isPresent(
  client: Client,
  { operation, idField }: Step,
  id: string,
  input: Record<string, unknown>,
): Promise<boolean> {
  try {
    const record = (await client.call(`${operation.split('.')[0]}.one`, { [idField]: id })) as Record<string, unknown>
    return identityFields.every((name) => !(name in input && name in record) || input[name] === record[name])
  } catch (error) {
    if (error instanceof BerthError && error.code === 'NOT_FOUND') return false
    throw error
  }
}
