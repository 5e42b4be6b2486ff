/** Rules of Berth that openapi.json cannot express, checked in addition to the checks of schemathesis. */
import type { Operation } from '../../src/api/contract.ts'
import { type Code, statusOf } from '../../src/errors.ts'
import { requiredOf } from '../sweep-inputs.ts'
import type { Call } from './calls.ts'

export interface Finding {
  rule: string
  call: Call
}

export const findingsIn = (calls: Call[], operations: readonly Operation[], kept: ReadonlySet<string>): Finding[] => [
  ...wrongUnavailability(calls, operations),
  ...brokenLifetimes(calls, operations, kept),
]

const unavailableCodes: Code[] = ['BAD_GATEWAY', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT']

/** The engine is always available, so only operations that call another system may answer 502, 503 or 504. */
function wrongUnavailability(calls: Call[], operations: readonly Operation[]): Finding[] {
  const allowedStatuses = new Map(
    operations.map(({ name, refusals = [] }) => [
      name,
      unavailableCodes.filter((code) => refusals.includes(code)).map((code) => statusOf[code]),
    ]),
  )
  const wrong = calls.filter(
    ({ operation, status }) => status > 500 && !(allowedStatuses.get(operation) ?? []).some((it) => it === status),
  )
  return wrong.map((call) => ({ rule: 'this operation must not answer 502, 503 or 504', call }))
}

/**
 * A record exists from the answer of `create` until its removal, and not after it. Records that the run restores are
 * exceptions.
 */
function brokenLifetimes(calls: Call[], operations: readonly Operation[], kept: ReadonlySet<string>): Finding[] {
  const idFields = idFieldsOf(operations)
  const [alive, removed] = [new Set<string>(), new Set<string>()]
  const findings: Finding[] = []
  for (const call of calls) {
    const [group = '', verb = ''] = call.operation.split('.')
    const field = idFields.get(group)
    if (/^(remove|delete)$/.test(verb) && call.status === 200) {
      // The removal of a project removes its services too. The answer lists them.
      for (const id of alive) if (call.body.includes(id)) alive.delete(id)
      if (field !== undefined) removed.add(idIn(call, field))
    } else if (verb === 'create' && call.status === 200 && field !== undefined) alive.add(idIn(call, field))
    else if (verb === 'one' && field !== undefined) {
      const id = String(call.input[field])
      if (alive.has(id) && call.status === 404)
        findings.push({ rule: 'a created record must exist until its removal', call })
      if (removed.has(id) && !kept.has(id) && call.status === 200)
        findings.push({ rule: 'a removed record must not exist', call })
    }
  }
  return findings
}

/** Returns the id field of each group with `create` and `one`. */
function idFieldsOf(operations: readonly Operation[]): Map<string, string> {
  const named = new Map(operations.map((it) => [it.name, it]))
  const groups = new Set(operations.map(({ name }) => name.split('.', 1)[0]!))
  return new Map(
    [...groups]
      .filter((group) => named.has(`${group}.create`) && named.has(`${group}.one`))
      .map((group) => [group, requiredOf(named.get(`${group}.one`)!)[0]!]),
  )
}

const idIn = ({ body }: Call, field: string) => String((JSON.parse(body) as Record<string, unknown>)[field])
