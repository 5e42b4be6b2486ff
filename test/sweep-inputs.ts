/** Inputs generated from declarations: a valid input for each operation, and hostile or wrong values for its fields. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { isSignIn } from '../src/api/access.ts'
import { methodOf, type Operation } from '../src/api/contract.ts'
import type { Schema } from '../src/http/openapi-schemas.ts'
import { kinds } from '../src/kinds/index.ts'
import { mask } from '../src/lib/crypto/mask.ts'
import { operations } from '../src/operations.ts'
import { sampleKind } from './fixtures/database-clients.ts'
import type { Berth } from './fixtures/harness.ts'
import { certificateData, privateKey } from './fixtures/long-lived-certificate.ts'

type Input = Record<string, unknown>

export const unknownId = '01900000-0000-7000-8000-000000000000'

/** Fields of existing records, by the name of the input field. */
export type Known = Record<string, unknown>

/** Whether a field must refer to something that exists: a record or a registry. */
const isReference = (name: string) => name.endsWith('Id') || name === 'registryUrl'

/** Calls every `create` whose ids are known, until no more can be called. Returns the fields of all records. */
export async function makeRecords(berth: Berth, operations: readonly Operation[], initial: Known): Promise<Known> {
  // Rules can be created before their application.
  const known: Known = { applicationId: 'sweep-application', ...initial }
  const remaining = new Set(operations.filter(({ name, access }) => name.endsWith('.create') && !isSignIn(access)))
  for (let before = -1; before !== remaining.size; ) {
    before = remaining.size
    for (const operation of remaining) {
      const input = completeInput(operation, {})
      const ids = Object.keys(input).filter(isReference)
      if (!ids.every((name) => Object.hasOwn(known, name))) continue
      const { status, body } = await berth.call(operation.name, {
        ...input,
        ...Object.fromEntries(ids.map((id) => [id, known[id]])),
      })
      assert.equal(status, 200, `${operation.name}: ${JSON.stringify(body)}`)
      // A backup has an id field for each kind of database. Only one is not null.
      Object.assign(known, Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)))
      remaining.delete(operation)
    }
  }
  return known
}

/** A valid input with all required fields. Values of known records are preferred. */
export function completeInput(operation: Operation, known: Known): Input {
  const { properties = {}, required = [] } = schemaOf(operation)
  const isCreate = operation.name.endsWith('.create')
  const input: Input = {}
  for (const name of required) {
    const isKnown = Object.hasOwn(known, name) && known[name] !== mask
    const existing = isKnown && (!isCreate || isReference(name)) ? [known[name]] : []
    const candidates = [...existing, ...samplesOf(operation, name, properties[name] as Schema)]
    const shape = operation.input.shape[name] as z.ZodType
    input[name] = candidates.find((it) => shape.safeParse(it).success)
    assert.notEqual(
      input[name],
      undefined,
      `${operation.name}: no sample fits ${name}, add one to test/sweep-inputs.ts`,
    )
  }
  for (const name of conditionalFields(operation, input)) input[name] = known[name] ?? unknownId
  return input
}

/** Fields that are optional in the schema but required by the operation. */
function conditionalFields({ name }: Operation, { databaseType }: Input): string[] {
  if (typeof databaseType === 'string') return [`${databaseType}Id`]
  const byName: Record<string, string[]> = {
    'backup.restore': ['backupId', 'runId'],
    'backup.files': ['backupId'],
    'backup.runs': ['backupId'],
  }
  return byName[name] ?? []
}

/** Values to try for a field. Texts contain the group, because names of services are unique. */
function samplesOf(operation: Operation, name: string, { enum: choices, anyOf }: Schema): unknown[] {
  if (choices !== undefined) return choices
  const id = name === 'id' || name.endsWith('Id') ? [unknownId] : []
  const base32 = name === 'secret' ? ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'] : []
  // A connection to this port is refused at once on every machine.
  const endpoint = name === 'endpoint' || name === 'url' ? ['http://127.0.0.1:9'] : []
  const schedule = name === 'schedule' ? ['0 3 * * *'] : []
  const time = name === 'time' ? [new Date().toISOString()] : []
  const pem = { certificateData, privateKey }[name] ?? []
  // The value is the beginning of a location.
  const path = name === 'replacement' ? ['/swept'] : []
  const group = operation.name.split('.', 1)[0]!
  return [
    ...id,
    ...base32,
    ...endpoint,
    ...schedule,
    ...time,
    ...[pem].flat(),
    ...path,
    '',
    `sweep-${group}-${name.toLowerCase()}`,
    'sweep@example.org',
    15432,
    true,
    {},
    ...(anyOf === undefined ? [] : [null]),
  ]
}

const schemas = new WeakMap<Operation, Schema>()

export function schemaOf(operation: Operation): Schema {
  const schema = schemas.get(operation) ?? z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
  schemas.set(operation, schema)
  return schema
}

export const requiredOf = (operation: Operation) => schemaOf(operation).required ?? []

/** Values of a wrong type, too long, with control characters, or with code for shells, SQL, HTML or templates. */
const hostile: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  [],
  ['a'],
  {},
  { $ne: null },
  { toString: 'x' },
  { __proto__: null, length: 1 },
  '',
  ' ',
  'x'.repeat(256),
  'x'.repeat(70_000),
  '😀'.repeat(300),
  'a\u0000b',
  'a\u001b[31mb',
  'a\r\nb',
  'a\u007fb',
  'a\u0085b',
  '\u202eabc',
  '\ufeff',
  "'; drop table account; --",
  '" or ""="',
  '\\',
  '`id`',
  '$(touch /tmp/swept)',
  '; reboot',
  '| cat /etc/passwd',
  '&& true',
  '-rf',
  '--help',
  '../../../etc/passwd',
  '/etc/passwd',
  '%00',
  '%s%n%x',
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e999',
  '0x10',
  'p\'a"s$s\\w`ord; --',
  '********',
  'LOCALHOST',
  '0.0.0.0',
  'http://169.254.169.254/',
  unknownId,
]

/**
 * The same operation of `sampleKind` if the operation is of another kind, else undefined. The operations of all kinds
 * share their code. They differ in the fields of the kind.
 */
export function sampleOf({ name }: Operation): Operation | undefined {
  const [group, verb] = name.split('.')
  if (group === sampleKind.name || kinds.every((kind) => kind.name !== group)) return undefined
  return operations.find((operation) => operation.name === `${sampleKind.name}.${verb}`)
}

/** The fields of an operation, except those that `sampleOf` has with the same schema. */
function ownFields(operation: Operation): string[] {
  const sample = sampleOf(operation)
  const known = sample === undefined ? {} : (schemaOf(sample).properties ?? {})
  const { properties = {} } = schemaOf(operation)
  return Object.keys(operation.input.shape).filter(
    (field) => !Object.hasOwn(known, field) || !isDeepStrictEqual(rulesOf(properties[field]), rulesOf(known[field])),
  )
}

/** A schema without the text about it. */
function rulesOf(schema: unknown): object {
  assert.ok(typeof schema === 'object' && schema !== null)
  return { ...schema, description: undefined }
}

interface Hostile {
  field: string
  value: unknown
  input: Input
}

/** Inputs with one hostile value in one field. All other fields are valid. See `ownFields`. */
export function* hostileInputs(operation: Operation, known: Known): Generator<Hostile> {
  const complete = completeInput(operation, known)
  for (const field of ownFields(operation)) {
    for (const value of hostile) {
      // A query parameter is always a text.
      if (methodOf(operation) === 'GET' && typeof value !== 'string') continue
      yield { field, value, input: { ...complete, [field]: value } }
    }
  }
}
