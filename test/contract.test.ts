/**
 * Compares the declarations with the contract in contract.json. Each declared operation accepts and refuses the values
 * that the contract says. contract-missing.json lists operations of the contract that are not declared yet.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { methodOf, type Operation } from '../src/api/contract.ts'
import { operations } from '../src/operations.ts'
import { completeInput } from './sweep-inputs.ts'

interface Field {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  required: boolean
  nullable?: boolean
  minLength?: number
  enum?: string[]
  default?: unknown
  format?: string
}

interface Contracted {
  method: 'GET' | 'POST'
  query?: Record<string, Field>
  body?: Record<string, Field>
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

const contract = (read('contract.json') as { operations: Record<string, Contracted> }).operations
const missing = read('contract-missing.json') as string[]

const declared = new Map(operations.map((it) => [it.name, it]))
const common = Object.entries(contract).flatMap(([name, contracted]) => {
  const operation = declared.get(name)
  return operation === undefined
    ? []
    : [
        {
          name,
          operation,
          method: contracted.method,
          fields: Object.entries(contracted.query ?? contracted.body ?? {}),
        },
      ]
})

test('contract-missing.json lists exactly the operations that are not declared', (t) => {
  const absent = Object.keys(contract).filter((name) => !declared.has(name))
  const extensions = operations.map(({ name }) => name).filter((name) => !Object.hasOwn(contract, name))
  t.diagnostic(`declared: ${common.length} of ${Object.keys(contract).length}; extensions: ${extensions.join(', ')}`)
  assert.deepEqual(
    absent.filter((name) => !missing.includes(name)),
    [],
    'these operations are not declared and not in test/contract-missing.json',
  )
  assert.deepEqual(
    missing.filter((name) => !absent.includes(name)),
    [],
    'these operations are declared: remove them from test/contract-missing.json',
  )
})

test('methods agree with the contract', () => {
  for (const { name, operation, method } of common) assert.equal(methodOf(operation), method, name)
})

test('operations have all fields of the contract, and their additional fields are optional', () => {
  for (const { name, operation, fields } of common) {
    const [own, contracted] = [Object.keys(operation.input.shape), fields.map(([field]) => field)]
    assert.deepEqual(
      contracted.filter((field) => !own.includes(field)),
      [],
      `${name} lacks`,
    )
    for (const field of own.filter((it) => !contracted.includes(it))) {
      assert.deepEqual(
        issuesOf(operation, without(completeInput(operation, {}), field)),
        [],
        `${name}: ${field} is an extension`,
      )
    }
  }
})

for (const { name, operation, fields } of common) {
  test(`${name} accepts and refuses the values that the contract says`, () => {
    const complete = completeInput(operation, {})
    for (const [field, rule] of fields) {
      for (const { value, isValid } of casesOf(field, rule)) {
        const input = value === absent ? without(complete, field) : { ...complete, [field]: value }
        const outcome = issuesOf(operation, input).includes(field) ? 'refused' : 'taken'
        assert.equal(outcome, isValid ? 'taken' : 'refused', `${field} = ${JSON.stringify(value) ?? 'absent'}`)
      }
      checkDefault(operation, complete, field, rule)
    }
  })
}

const absent = Symbol('absent')

interface Case {
  value: unknown
  isValid: boolean
}

function casesOf(field: string, rule: Field): Case[] {
  const { type, required, nullable, minLength = 0, enum: choices, format } = rule
  const wrong = type === 'string' ? [7, true, {}, ['a']] : type === 'boolean' ? ['true', 1, {}] : ['7x', true, {}]
  const valid = [...validValues(field, rule), ...(minLength > 0 ? ['x'.repeat(minLength)] : [])]
  const invalid = [
    ...wrong,
    ...(minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
    ...(choices === undefined ? [] : ['neither', '']),
    ...(format === 'email' ? ['no address'] : []),
  ]
  return [
    { value: absent, isValid: !required },
    { value: null, isValid: nullable === true },
    ...valid.map((value) => ({ value, isValid: true })),
    ...invalid.map((value) => ({ value, isValid: false })),
  ]
}

/** Valid values of fields whose format the contract does not describe. */
const validTexts: Record<string, string> = {
  env: 'A=1',
  email: 'ada@example.org',
  secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  schedule: '0 3 * * *',
}

function validValues(field: string, { type, enum: choices, format }: Field): unknown[] {
  if (choices !== undefined) return choices
  if (format === 'email') return ['ada@example.org']
  if (type === 'boolean') return [true, false]
  return type === 'string' ? [validTexts[field] ?? 'sweep-value'] : [7]
}

/** The only deviation from the contract: an update without an image keeps the image. */
const hasNoDefault = (name: string, field: string) => name.endsWith('.update') && field === 'dockerImage'

function checkDefault(operation: Operation, complete: Record<string, unknown>, field: string, rule: Field) {
  if (!Object.hasOwn(rule, 'default')) return
  const parsed = operation.input.safeParse(without(complete, field))
  const expected = hasNoDefault(operation.name, field) ? undefined : rule.default
  assert.deepEqual(parsed.data?.[field], expected, `${operation.name}: default of ${field}`)
}

function issuesOf(operation: Operation, input: Record<string, unknown>): string[] {
  const parsed = operation.input.safeParse(input)
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'))
}

const without = (input: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name !== field))
