/** What a run has to show beside the checks of schemathesis: rules of Berth that its description cannot say. */
import type { Operation } from '../../src/api/contract.ts'
import { type Code, statusOf } from '../../src/errors.ts'
import { requiredOf } from '../sweep-inputs.ts'
import type { Call } from './calls.ts'

export interface Finding {
  rule: string
  call: Call
}

export const findingsIn = (calls: Call[], operations: readonly Operation[], kept: ReadonlySet<string>): Finding[] => [
  ...wronglyAway(calls, operations),
  ...brokenLifetimes(calls, operations, kept),
]

const awayCodes: Code[] = ['BAD_GATEWAY', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT']

/** The engine is there all the time: 502, 503 and 504 come from operations alone that ask somebody else. */
function wronglyAway(calls: Call[], operations: readonly Operation[]): Finding[] {
  const mayBe = new Map(
    operations.map(({ name, refusals = [] }) => [
      name,
      awayCodes.filter((code) => refusals.includes(code)).map((code) => statusOf[code]),
    ]),
  )
  const wrong = calls.filter(
    ({ operation, status }) => status > 500 && !(mayBe.get(operation) ?? []).some((it) => it === status),
  )
  return wrong.map((call) => ({ rule: 'nobody is away whom this operation asks', call }))
}

/**
 * What `create` answered is there until a removal names it, and what was removed is not there any more; but for the
 * records that the run puts back.
 */
function brokenLifetimes(calls: Call[], operations: readonly Operation[], kept: ReadonlySet<string>): Finding[] {
  const idFields = idFieldsOf(operations)
  const [alive, gone] = [new Set<string>(), new Set<string>()]
  const findings: Finding[] = []
  for (const call of calls) {
    const [group = '', verb = ''] = call.operation.split('.')
    const field = idFields.get(group)
    if (/^(remove|delete)/.test(verb) && call.status === 200) {
      // With a project go the services in it, which its answer lists.
      for (const id of alive) if (call.body.includes(id)) alive.delete(id)
      if (field !== undefined) gone.add(idIn(call, field))
    } else if (verb === 'create' && call.status === 200 && field !== undefined) alive.add(idIn(call, field))
    else if (verb === 'one' && field !== undefined) {
      const id = String(call.input[field])
      if (alive.has(id) && call.status === 404) findings.push({ rule: 'it was made and not removed', call })
      if (gone.has(id) && !kept.has(id) && call.status === 200) findings.push({ rule: 'it was removed', call })
    }
  }
  return findings
}

/** Of each group with `create` and `one`: the field by which a record is asked for. */
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
