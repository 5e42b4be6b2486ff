/**
 * Writes the settings of schemathesis (TOML): the checks, and values that it cannot derive from a schema, such as ids of
 * existing records, dates, schedules and addresses of this machine. schemathesis adds these values to its generated
 * ones, so that calls are not refused at their first field.
 */
import { methodOf, type Operation } from '../../src/api/contract.ts'
import { kinds } from '../../src/kinds/index.ts'
import { requiredOf, completeInput } from '../sweep-inputs.ts'
import type { Samples } from './berth.ts'

export type Values = (string | number)[]

/** The probability of a value of this file, for a required and for an optional field. */
const requiredProbability = 0.8
const optionalProbability = 0.25

/** Values for names that can be used once, and for idempotency keys. */
const fresh = (name: string) => Array.from({ length: 100 }, (_, at) => `fuzz-${name.toLowerCase()}-${at}`)

/** Values for all groups that neither a schema nor a record contains. */
const samples: Record<string, Values> = {
  schedule: ['0 3 * * *', '*/5 * * * *', '@daily'],
  verifySchedule: ['0 4 * * 0', '@weekly'],
  timezone: ['UTC', 'Europe/Berlin'],
  since: ['2026-01-31T12:00:00Z', '15m', '3d'],
  expiresAt: ['2100-01-01T00:00:00.000Z'],
  env: ['A=1\nB="two words"', '# nothing'],
  command: ['postgres -c shared_buffers=1MB', '--appendonly yes'],
  dockerImage: ['postgres:15', 'mariadb:11', 'mysql:8.0', 'mongo:8', 'redis:7', 'no-such-image:1', 'shop/app'],
  node: ['node1', 'node2', 'node9'],
  nodeId: ['node1', 'node2', 'node3', 'node9'],
  nodeLabel: ['disk=ssd', 'disk=none'],
  applicationId: ['shop', 'sweep-application', 'elsewhere'],
  bucket: ['backups'],
  endpoint: ['http://127.0.0.1:9', 'https://127.0.0.1:9'],
  signalUrl: ['http://127.0.0.1:9/signal'],
  regex: ['^https?://shop\\.example\\.org/(.*)$'],
  url: ['http://shop.example.org/old?page=2', 'shop.example.org', 'https://elsewhere.example.org/'],
  replacement: ['https://shop.example.org/$1', '/elsewhere'],
  recipient: ['age1w2j83d77vfdw3qls9uhl5a4j8jks7ccmcc3c4fdc27cnrld55p0qp2gjsf', 'installation'],
  identity: ['AGE-SECRET-KEY-1'],
  externalPort: [20_001, 20_002, 20_003],
  publishedPort: Array.from({ length: 100 }, (_, at) => 21_000 + at),
  email: Array.from({ length: 100 }, (_, at) => `fuzz-${at}@example.org`),
  operation: ['project.create'],
  result: ['OK', 'NOT_FOUND'],
}

/** Values that replace the example of openapi.json, because calls should not wait that long. */
const headers: Record<string, Values> = {
  Prefer: ['wait=1', 'wait=0', 'respond-async, wait=1'],
  'Idempotency-Key': fresh('key'),
  // Most tags would be refused with 412.
  'If-Match': ['*', '*', '*', '"another-tag"'],
  'Last-Event-ID': ['0', '1', '1000000'],
}

type Inputs = Pick<Samples, 'known' | 'more'>

/** Returns valid values of a field of the operation. */
function valuesOf(operation: Operation, name: string, { known, more }: Inputs): Values {
  if (more[name] !== undefined) return more[name]
  const [group, verb] = operation.name.split('.') as [string, string]
  if (name === 'appName' && verb === 'create') return fresh(group)
  const knownValue = completeInput(operation, known)[name]
  const isText = typeof knownValue === 'string' || typeof knownValue === 'number'
  const record = name.endsWith('Id') && typeof known[name] === 'string' ? [known[name]] : []
  return [...(isText ? [knownValue] : []), ...record, ...(samples[name] ?? [])]
}

/**
 * All checks of schemathesis are on, except these. positive_data_acceptance: Berth may refuse an input that fits the
 * schema, because schemas have no rules between fields or about existing records. use_after_free and
 * ensure_resource_availability: they recognize a removal by the method DELETE and a record by its path, but Berth uses
 * neither; `findingsIn` has these rules. object_level_authorization: records belong to the team, not to an account.
 */
const checks = [
  '[checks]',
  ...['positive_data_acceptance', 'use_after_free', 'ensure_resource_availability', 'object_level_authorization'].map(
    (name) => `${name}.enabled = false`,
  ),
  // `findingsIn` checks which operations may answer 502, 503 and 504.
  'not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 502, 503, 504]',
]

const text = (value: unknown) => JSON.stringify(value)

/**
 * Returns the TOML of a run. Values are bound to names of fields for all operations. With a hundred bindings for single
 * operations, schemathesis would need longer to find a binding than for the request.
 */
export function settingsOf(operations: readonly Operation[], inputs: Inputs): string {
  const dictionaries: string[] = []
  const bind = (key: string, values: Values, probability: number) => {
    const name = `values-${dictionaries.length}`
    dictionaries.push(`[dictionaries.${name}]`, `values = ${text(values)}`)
    return `${text(key)} = { dictionary = ${text(name)}, probability = ${probability} }`
  }
  const bound = Object.entries(headers).map(([name, values]) => bind(`header.${name}`, values, requiredProbability))
  for (const place of ['query', 'body']) {
    const withPlace = operations.filter((it) => (methodOf(it) === 'GET' ? 'query' : 'body') === place)
    for (const name of new Set(withPlace.flatMap(({ input }) => Object.keys(input.shape)))) {
      const users = withPlace.filter(({ input }) => Object.hasOwn(input.shape, name))
      const values = new Set(users.flatMap((it) => valuesOf(it, name, inputs)))
      const isRequired = users.some((it) => requiredOf(it).includes(name))
      if (values.size > 0)
        bound.push(bind(`${place}.${name}`, [...values], isRequired ? requiredProbability : optionalProbability))
    }
  }
  const single = operations.flatMap((operation) => {
    const bindings = fittingOf(operation, inputs).map(([name, values, probability]) => bind(name, values, probability))
    return bindings.length === 0
      ? []
      : ['[[operations]]', `include-operation-id = ${text(operation.name)}`, `parameters = { ${bindings.join(', ')} }`]
  })
  return [...checks, '[parameters]', ...bound, ...single, ...dictionaries, ''].join('\n')
}

/** Returns bindings for single operations, for fields whose values are valid only together. */
function fittingOf({ name }: Operation, { known }: Inputs): [name: string, values: Values, probability: number][] {
  const [group, verb] = name.split('.') as [string, string]
  if (verb === 'reload') return [['body.appName', [`sweep-${group}-appname`], requiredProbability]]
  if (verb === 'regainAccount') return [['body.confirm', [`sweep-${group}-appname`], requiredProbability]]
  if (name !== 'backup.create') return []
  const [one, ...others] = kinds.filter(
    ({ backup, createBackup }) => backup !== undefined && createBackup === undefined,
  )
  return [
    ['body.databaseType', [one!.name], requiredProbability],
    [`body.${one!.idField}`, [known[one!.idField] as string], requiredProbability],
    ...others.map(({ idField }): [string, Values, number] => [`body.${idField}`, ['none'], 0.01]),
  ]
}
