/** Inputs made from declarations: a whole one for each operation, and what an attacker or a mistake puts into it. */
import assert from 'node:assert/strict'
import { z } from 'zod'
import { isSignIn } from '../src/api/access.ts'
import { methodOf, type Operation } from '../src/api/contract.ts'
import type { Schema } from '../src/http/openapi-schemas.ts'
import { mask } from '../src/lib/crypto/mask.ts'
import type { Berth } from './fixtures/harness.ts'
import { certificateData, privateKey } from './fixtures/lasting-certificate.ts'

type Input = Record<string, unknown>

export const unknownId = '01900000-0000-7000-8000-000000000000'

/** Fields of records that exist, by the names that operations know them under. */
export type Known = Record<string, unknown>

/** What no `create` makes up: ids of what is there, and where a registry is. */
const isGiven = (name: string) => name.endsWith('Id') || name === 'registryUrl'

/** Makes one record by each `create` whose ids are known, until no more can be made. */
export async function makeRecords(berth: Berth, operations: readonly Operation[], given: Known): Promise<Known> {
  // Rules may be made before there is such an application.
  const known: Known = { applicationId: 'sweep-application', ...given }
  const left = new Set(operations.filter(({ name, access }) => name.endsWith('.create') && !isSignIn(access)))
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const operation of left) {
      const input = wholeInput(operation, {})
      const ids = Object.keys(input).filter(isGiven)
      if (!ids.every((name) => Object.hasOwn(known, name))) continue
      const { status, body } = await berth.call(operation.name, {
        ...input,
        ...Object.fromEntries(ids.map((id) => [id, known[id]])),
      })
      assert.equal(status, 200, `${operation.name}: ${JSON.stringify(body)}`)
      // A backup has an id for each kind of database, of which one is set.
      Object.assign(known, Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)))
      left.delete(operation)
    }
  }
  return known
}

/** All that is required, from known records where there are such, so that the schema takes it. */
export function wholeInput(operation: Operation, known: Known): Input {
  const { properties = {}, required = [] } = schemaOf(operation)
  const isCreate = operation.name.endsWith('.create')
  const input: Input = {}
  for (const name of required) {
    const isKnown = Object.hasOwn(known, name) && known[name] !== mask
    const own = isKnown && (!isCreate || isGiven(name)) ? [known[name]] : []
    const candidates = [...own, ...samplesOf(operation, name, properties[name] as Schema)]
    const shape = operation.input.shape[name] as z.ZodType
    input[name] = candidates.find((it) => shape.safeParse(it).success)
    assert.notEqual(
      input[name],
      undefined,
      `${operation.name}: no sample fits ${name}, add one to test/sweep-inputs.ts`,
    )
  }
  for (const name of alsoWanted(operation, input)) input[name] = known[name] ?? unknownId
  return input
}

/** What the schema leaves open, and the operation wants. */
function alsoWanted({ name }: Operation, { databaseType }: Input): string[] {
  if (typeof databaseType === 'string') return [`${databaseType}Id`]
  const byName: Record<string, string[]> = {
    'backup.restore': ['backupId', 'runId'],
    'backup.files': ['backupId'],
    'backup.runs': ['backupId'],
  }
  return byName[name] ?? []
}

/** Texts are those of one group alone: names of services are taken once. */
function samplesOf(operation: Operation, name: string, { enum: choices, anyOf }: Schema): unknown[] {
  if (choices !== undefined) return choices
  const id = name === 'id' || name.endsWith('Id') ? [unknownId] : []
  const base32 = name === 'secret' ? ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'] : []
  // Refused at once, wherever the sweep runs.
  const endpoint = name === 'endpoint' ? ['http://127.0.0.1:9'] : []
  const schedule = name === 'schedule' ? ['0 3 * * *'] : []
  const pem = { certificateData, privateKey }[name] ?? []
  // It begins a location.
  const path = name === 'replacement' ? ['/swept'] : []
  const group = operation.name.split('.', 1)[0]!
  return [
    ...id,
    ...base32,
    ...endpoint,
    ...schedule,
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
  const made = schemas.get(operation) ?? z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
  schemas.set(operation, made)
  return made
}

export const requiredOf = (operation: Operation) => schemaOf(operation).required ?? []

/** Of the wrong type, too long, with control characters, or meant for a shell, SQL, HTML, a path, a template. */
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

interface Hostile {
  field: string
  value: unknown
  input: Input
}

/** Each hostile value in each field of an otherwise whole input. */
export function* hostileInputs(operation: Operation, known: Known): Generator<Hostile> {
  const whole = wholeInput(operation, known)
  for (const field of Object.keys(operation.input.shape)) {
    for (const value of hostile) {
      // A query parameter is a text, whatever it was meant to be.
      if (methodOf(operation) === 'GET' && typeof value !== 'string') continue
      yield { field, value, input: { ...whole, [field]: value } }
    }
  }
}
