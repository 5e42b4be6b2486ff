/** The parts of declarations and audit entries that concern the confirmation of dangerous calls. */
import { z } from 'zod'
import type { Code } from '../../errors.ts'
import { ChangedRights } from '../reach/audit-details.ts'

/** Which calls of an operation need a code of the caller's second factor. */
export interface ConfirmationRule<I, A = never> {
  /** The calls, as the subject of a sentence on the reference page. */
  calls: string
  isNeeded(input: I, actor: A): boolean
  /** The calls need a code also while the setting `confirmDangerousCalls` of the installation is off. */
  always?: true
}

/** Why a call is refused that needs a code: none was sent, it is wrong or used, or the account has no second factor. */
const refusalReasons = ['ConfirmationMissing', 'ConfirmationWrong', 'SecondFactorMissing'] as const
export type ConfirmationRefusal = (typeof refusalReasons)[number]
export const ConfirmationRefusalCode = z.enum(refusalReasons).meta({ title: 'ConfirmationRefusal' })

/** The input field that every operation has whose calls can need a code. */
export const confirmationShape = {
  confirmationCode: z
    .string()
    .min(6, 'must have at least 6 characters')
    .max(64, 'must have at most 64 characters')
    .optional()
    .describe(
      'Code of six digits from the authenticator app of your account, or a recovery code. Each can be used once. ' +
        'Ignored if the call needs no code',
    ),
}

/** A sentence for the reference page. */
export const confirmationText = ({ calls, always }: Pick<ConfirmationRule<never>, 'calls' | 'always'>): string =>
  always === true
    ? `${calls} needs \`confirmationCode\`.`
    : `${calls} needs \`confirmationCode\` while the setting confirmDangerousCalls of installation.settings is on.`

/** The rule of calls with `force`. */
export const ifForced = { calls: 'A call with `force: true`', isNeeded: ({ force }: { force: boolean }) => force }

/** The rule of an operation that is always dangerous. */
export const everyCall = { calls: 'Every call', isNeeded: () => true }

/** The error codes of a confirmation, in addition to those of the operation. */
export const confirmationRefusals: readonly Code[] = ['FORBIDDEN', 'TOO_MANY_REQUESTS']

/** What was used to confirm a call: a code of the authenticator app, or a recovery code. */
export const Factor = z.enum(['app', 'recoveryCode'])
export type Factor = z.output<typeof Factor>

/** What the audit log records of a confirmed call. It never has the code. */
export const ConfirmedCall = z.object({
  event: z.literal('confirmed').describe('The caller has confirmed the call with a code of the second factor'),
  factor: Factor.describe('app: a code of the authenticator app. recoveryCode: a recovery code'),
  rights: ChangedRights.optional().describe('The account whose rights the call has changed, and its rights after it'),
})
