/** Calls -> entries of the audit log: what is noted of a call, and which calls are. Pure; knows no operation. */
import type { Actor, Operation } from './contract.ts'
import { type Code, Refusal } from '../errors.ts'
import type { AuditEntry } from './audit-log.ts'

type Fields = Record<string, unknown>

/** What was asked: the checked input, or nothing where it was refused before. `answer` null: it was refused. */
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

/** Malformed and limited calls asked for nothing yet: noting them would let anyone with a token fill the disk. */
const unnoted: readonly Code[] = ['BAD_REQUEST', 'TOO_MANY_REQUESTS']

/** How a call that threw is noted; null: it is not. */
export function resultOf(error: unknown): Code | null {
  const code = error instanceof Refusal ? error.code : 'INTERNAL_SERVER_ERROR'
  return unnoted.includes(code) ? null : code
}

/**
 * The id that the call was about: of the account that signed in, else the one of its own group, else the plain `id`,
 * else any. A sign-in that failed has none: the e-mail that was given stands there.
 */
function recordOf(name: string, input: Fields, answer: unknown): string | null {
  const answered = fieldsOf(answer)
  const group = name.split('.', 1)[0]!
  // `redirects` are records with a `redirectId`, `postgres` are such with a `postgresId`.
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
    input.email,
  ]
  return candidates.find((it): it is string => typeof it === 'string' && !token.test(it)) ?? null
}

/** Whoever mixes up `id` and `token` of an invitation is not to leave the token here. */
const token = /^berth_[a-z0-9]+_[\w-]{43}$/

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
