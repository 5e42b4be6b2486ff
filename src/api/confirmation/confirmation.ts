/** Confirms dangerous calls: such a call needs an unused code of the caller's second factor. */
import type { AnswerStore } from '../idempotency.ts'
import type { Admitted } from '../admit.ts'
import type { Actor } from '../contract.ts'
import type { App } from '../services.ts'
import type { Writer } from '../../store/schema.ts'
import type { ConfirmedCall, Factor } from './fields.ts'
import type { z } from 'zod'

type Input = Record<string, unknown>

export interface Confirmation {
  /**
   * Uses the code, in the transaction of the change, so that a change that is refused leaves the code unused. Does
   * nothing if the call needs no code or if the code was used before. Refuses like `CallConfirmation.use`.
   */
  use(tx: Writer): Promise<void>
  /** What to record of the call in the audit log. Null until the code was used. */
  details(): string | null
}

const notNeeded: Confirmation = { use: async () => undefined, details: () => null }

/**
 * Checks the code of a call that needs one. Call this before anything of the call is carried out. A repeated call whose
 * answer is stored needs no code: its code was used by the first call. If the answer does not count when the call runs,
 * `use` refuses: the record may have left the reach of the caller, or the answer may have expired.
 */
export async function confirmationOf(
  app: App,
  { operation, actor }: Admitted,
  input: Input,
  answers: AnswerStore | null,
): Promise<Confirmation> {
  const rule = operation.confirmation
  if (rule?.isNeeded(input, actor) !== true) return notNeeded
  if (rule.always !== true && !(await app.callConfirmation.isOn(app.db))) return notNeeded
  if ((await answers?.find(app.db)) != null) return missing(app, actor)
  const code = input.confirmationCode as string | undefined
  await app.callConfirmation.check(actor, code)
  let factor: Factor | null = null
  return {
    async use(tx) {
      factor ??= await app.callConfirmation.use(tx, actor, code)
    },
    details: () => (factor === null ? null : detailsOf(factor)),
  }
}

/** `use` is called only if the call is carried out after all. */
const missing = ({ callConfirmation }: App, actor: Actor): Confirmation => ({
  use: async (tx) => void (await callConfirmation.use(tx, actor, undefined)),
  details: () => null,
})

/** The input without the code: a repeated call may have another one. */
export const withoutCode = ({ confirmationCode: _, ...input }: Input): Input => input

const detailsOf = (factor: Factor) =>
  JSON.stringify({ event: 'confirmed', factor } satisfies z.output<typeof ConfirmedCall>)
