/**
 * Limits a call to the reach of its caller. A record out of reach is answered like one that does not exist, by the same
 * code: its id is replaced by an id that no record has before the handler gets the input.
 */
import { type Actor, type Operation, roleFor } from '../contract.ts'
import { isSignIn } from '../access.ts'
import { refuse } from '../../errors.ts'
import type { Reader } from '../../store/schema.ts'
import { checkAllProjects, checkRole, isSameReach, lowerRole, type ProjectRole } from './reach.ts'
import { projectOfField } from './record-projects.ts'

type Input = Record<string, unknown>

/** What a handler gets. */
export interface Reached {
  /** The caller, with its role in the projects of the records in the input. */
  actor: Actor
  /** The input. The ids of records out of reach are replaced. */
  input: Input
  /** Whether the input names a record out of reach. */
  isHidden: boolean
}

/** An id that no record has: the nil UUID. Source: RFC 9562, section 5.9. */
const noRecord = '00000000-0000-0000-0000-000000000000'

/** Refuses an operation for callers that reach all projects to all others. Depends on no input. */
export function checkOperationReach({ access, reach = 'allProjects' }: Operation, actor: Actor): void {
  if (reach === 'allProjects' && !isSignIn(access)) checkAllProjects(actor.reach)
}

/**
 * Limits the input of a call.
 *
 * @param input the validated input
 * @param isConcluded whether an action has stored its changes already, so that only its answer is left
 * @throws Refusal FORBIDDEN if the caller sees a record but its role does not permit the operation
 */
export async function withinReach(db: Reader, operation: Operation, actor: Actor, input: Input): Promise<Reached> {
  if (actor.reach === 'all' || operation.reach === 'own' || isSignIn(operation.access)) {
    return { actor, input, isHidden: false }
  }
  checkOperationReach(operation, actor)
  const limited = { ...input }
  let role: ProjectRole | null = null
  let isHidden = false
  for (const [name, value] of Object.entries(input)) {
    const projectOf = projectOfField[name]
    if (projectOf === undefined || typeof value !== 'string') continue
    const projectId = await projectOf(db, value)
    const own = projectId === null ? undefined : actor.reach.get(projectId)
    if (own !== undefined) role = role === null ? own : lowerRole(role, own)
    else {
      limited[name] = noRecord
      isHidden = true
    }
  }
  if (role !== null) checkRole(role, roleFor(operation))
  // Without a record, nothing tells the project: such a call can concern each of them.
  if (operation.reach === 'project' && role === null && !isHidden) checkAllProjects(actor.reach, 'A call without an id')
  return { actor: { ...actor, role: role ?? 'viewer' }, input: limited, isHidden }
}

/**
 * Limits the input again after some time: before the last transaction of an action, during a stream or a session, and
 * before the answer to a call that waited. Returns the caller with its present role in the projects of the records.
 *
 * @param earlier what the handler got
 * @param present the caller with its present rights
 * @param input the validated input of the call
 * @throws Refusal FORBIDDEN or CONFLICT if the caller does not reach a record any more. An action is also refused if any
 *   other right of the caller has changed, because its handler may have used it
 */
export async function recheckReach(
  db: Reader,
  operation: Operation,
  earlier: Reached,
  present: Actor,
  input: Input,
  { isConcluded } = { isConcluded: false },
): Promise<Actor> {
  if (operation.reach === 'own' || isSignIn(operation.access)) return present
  const { actor, input: limited } = await withinReach(db, operation, present, input)
  const isSameInput = JSON.stringify(limited) === JSON.stringify(earlier.input)
  const hasSameRights = actor.role === earlier.actor.role && isSameReach(actor.reach, earlier.actor.reach)
  if (isSameInput && (hasSameRights || operation.type !== 'action' || isConcluded)) return actor
  refuse(
    'CONFLICT',
    isConcluded
      ? 'The work has begun, but you do not reach its record any more, so Berth cannot answer how it ended'
      : 'The rights of this call have changed while it was in progress. Repeat it',
  )
}
