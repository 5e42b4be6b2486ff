/** The answer of a call that waited for its work, with the rights that its caller has then. */
import { type Admitted, checkAdmitted } from '../admit.ts'
import type { Actor } from '../contract.ts'
import { refuse } from '../../errors.ts'
import { type Reached, recheckReach } from './within-reach.ts'
import { readContext } from '../run-read.ts'
import type { App } from '../services.ts'

interface Outcome {
  reached: Reached
  body: unknown
  deploymentIds: string[]
}

/**
 * Waits for the deployments of a call. Returns its final answer. Refuses if one failed or was superseded, and if the
 * caller lost the rights to the answer meanwhile.
 *
 * @param input the validated input of the call
 */
export async function answerAfterWait(
  app: App,
  admitted: Admitted,
  input: Record<string, unknown>,
  outcome: Outcome,
  seconds: number,
): Promise<{ body: unknown; isPending: boolean }> {
  const { operation } = admitted
  const { body: first, deploymentIds, reached } = outcome
  const ended = await app.waitForEnd(deploymentIds, seconds * 1000)
  const isPending = ended === null
  // The first answer was made with the rights of that time, and may be about a record that does not exist any more.
  if (operation.finalAnswer === undefined && ended?.state !== 'error') {
    if (ended?.state === 'superseded') refuseSuperseded()
    return { body: first, isPending }
  }
  const actor = await presentActor(app, admitted, input, reached)
  if (ended?.state === 'error') {
    const reason = actor.reach === 'all' ? ended.reason : (ended.limitedReason ?? ended.reason)
    refuse('UNPROCESSABLE_CONTENT', reason ?? 'The work failed', { reason: ended.reasonCode })
  }
  if (ended?.state === 'superseded') refuseSuperseded()
  const answer = await operation.finalAnswer!(readContext(app, actor), reached.input, deploymentIds, first)
  return { body: operation.output.parse(answer), isPending }
}

function refuseSuperseded(): never {
  refuse('CONFLICT', 'Superseded by a later call; see deployment.all')
}

/** The caller with its present rights. Refuses like `checkAdmitted` and `recheckReach`. */
async function presentActor(app: App, admitted: Admitted, input: Record<string, unknown>, reached: Reached) {
  const present: Actor = await checkAdmitted(app, app.db, admitted.operation, admitted.actor)
  return recheckReach(app.db, admitted.operation, reached, present, input, { isConcluded: true })
}
