/** Opens sessions: checks and plans a session, and records its begin and its end in the audit log. Independent of HTTP. */
import { type Admitted, checkAdmitted, recordCall, recordingRefusals } from '../admit.ts'
import type { AuditDetails } from './audit-details.ts'
import { refuseInput } from '../../errors.ts'
import { inputMessage } from '../../lib/text/input-message.ts'
import { baseOf } from '../run-read.ts'
import { type Reached, recheckReach, withinReach } from '../reach/within-reach.ts'
import type { App } from '../services.ts'
import type { Actor, Channel, SessionEnd, SessionPlan } from '../contract.ts'

type Input = Record<string, unknown>

export interface PlannedSession {
  /**
   * Reserves a slot and records the begin of the session. Refuses with TOO_MANY_REQUESTS, and like `checkAdmitted`.
   * Call `run` afterwards, also if the client has disconnected: it records the end.
   */
  begin(): Promise<BegunSession>
  /** Refuses if the rights to this session have changed. @param present the caller with its present rights */
  check(present: Actor): Promise<void>
}

export interface BegunSession {
  /**
   * Runs the session to its end. Never rejects.
   * @param ended ends the session from outside; its reason is a SessionFailure
   */
  run(channel: Channel, ended: AbortSignal): Promise<void>
}

/** Checks the input and plans the session. Changes nothing. Refuses like the handler of the operation. */
export async function planSession(app: App, admitted: Admitted, input: Input): Promise<PlannedSession> {
  const { operation, actor } = admitted
  if (operation.type !== 'session') throw new Error(`${operation.name} is no session`)
  const parsed = operation.input.safeParse(input, { error: inputMessage })
  if (!parsed.success) refuseInput(parsed.error.issues)
  const { db, sessions } = app
  const { reached, plan } = await recordingRefusals(app, admitted, parsed.data, async () => {
    // Before the handshake, because a browser cannot read the answer to a WebSocket that is refused: it asks without one.
    sessions.checkRoom(actor.accountId)
    const reached = await withinReach(db, operation, actor, parsed.data)
    const plan = await operation.run({ ...baseOf(app, reached.actor), db, sessions }, reached.input)
    return { reached, plan }
  })
  return {
    begin: () => begin(app, admitted, parsed.data, { reached, plan }),
    check: async (present) => {
      await recheckReach(db, operation, reached, present, parsed.data)
    },
  }
}

async function begin(
  app: App,
  admitted: Admitted,
  input: Input,
  { reached, plan }: { reached: Reached; plan: SessionPlan },
): Promise<BegunSession> {
  const { operation, actor } = admitted
  const { id: sessionId, mode } = plan
  const slot = app.sessions.reserve(actor.accountId, mode)
  const record = (details: AuditDetails) =>
    app.transact(async (tx) => {
      // The end of a session is recorded also if the access ended it.
      if (details.event === 'begin') {
        await recheckReach(tx, operation, reached, await checkAdmitted(app, tx, operation, actor), input)
      }
      const call = { operation, actor, input, answer: null, result: 'OK', details: JSON.stringify(details) } as const
      await recordCall(app, tx, call)
    })
  try {
    await recordingRefusals(app, admitted, input, () => record({ event: 'begin', sessionId, mode }))
  } catch (error) {
    slot.release()
    throw error
  }
  const recordEnd = ({ failure, ...end }: SessionEnd) =>
    record({ event: 'end', sessionId, mode, reason: failure?.code ?? null, ...end }).catch((error: unknown) =>
      app.log.error('cannot record the end of a session', error, { sessionId }),
    )
  return {
    async run(channel, ended) {
      const stopped = AbortSignal.any([slot.stopped, ended])
      try {
        await app.sessions.run(plan, channel, { stopped, record: recordEnd })
      } finally {
        slot.release()
      }
    },
  }
}
