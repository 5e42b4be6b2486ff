/** Builds audit entries from calls. Decides by the code of a refusal whether to record the refusal. Pure. */
import type { Actor, Operation } from './contract.ts'
import { type Code, Refusal } from '../errors.ts'
import type { AuditEntry } from './audit-log.ts'

type Fields = Record<string, unknown>

/** A call to record. A refused call has `answer` null; if it was refused before validation, `input` is empty. */
export interface Call {
  operation: Operation
  actor: Actor
  input: Fields
  answer: unknown
  result: 'OK' | Code
}

export function entryOf({ operation, actor, input, answer, result }: Call, at: Date): AuditEntry {
  const { kind, tokenId, address } = actor
  const [accountId, email] = [actor.accountId || null, actor.email || null]
  const record = recordOf(operation.name, input, answer)
  return { at, kind, accountId, email, tokenId, address, operation: operation.name, record, result }
}

/** Refusals that are not recorded. If they were, anyone with a token could fill the disk with entries. */
const unrecorded: readonly Code[] = ['BAD_REQUEST', 'TOO_MANY_REQUESTS']

/** The recorded result of a call that threw; null if the call is not recorded. */
export function resultOf(error: unknown): Code | null {
  const code = error instanceof Refusal ? error.code : 'INTERNAL_SERVER_ERROR'
  return unrecorded.includes(code) ? null : code
}

/**
 * The id of the record that the call concerns; null if there is none. In order of preference:
 * 1. the account that signed in
 * 2. from the input: the id field of the operation's group (`projectId` for `project.…`), then the field `id`
 * 3. the same two fields from the answer
 * 4. any other id from the input, then any other id from the answer
 * 5. from the input: the name of a certificate authority, or the e-mail
 */
function recordOf(name: string, input: Fields, answer: unknown): string | null {
  const answered = fieldsOf(answer)
  const group = name.split('.', 1)[0]!
  // The group `redirects` has the id field `redirectId`, but `postgres` has `postgresId`.
  const ownOf = (fields: Fields) => fields[`${group}Id`] ?? fields[`${group.replace(/s$/, '')}Id`]
  const anyId = (fields: Fields) => fields[Object.keys(fields).find((it) => it.endsWith('Id')) ?? '']
  const candidates = [
    fieldsOf(answered.account).id,
    ownOf(input),
    input.id,
    ownOf(answered),
    answered.id,
    anyId(input),
    anyId(answered),
    input.authority,
    input.email,
  ]
  return candidates.find((it): it is string => typeof it === 'string' && !tokenPattern.test(it)) ?? null
}

/** Text in the format of a token is not recorded: a caller may send the token of an invitation in place of its id. */
const tokenPattern = /^berth_[a-z0-9]+_[\w-]{43}$/

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
