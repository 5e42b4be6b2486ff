/**
 * What schemathesis is told beside the description, as its TOML: the checks, and values that a schema cannot give. They
 * are mixed in among those that it makes up, so that calls get past the first refusal: ids of records that there are,
 * dates, schedules, addresses of this machine.
 */
import { methodOf, type Operation } from '../../src/api/contract.ts'
import { kinds } from '../../src/kinds/index.ts'
import { requiredOf, completeInput } from '../sweep-inputs.ts'
import type { Samples } from './berth.ts'

export type Values = (string | number)[]

/** Of what is asked for a good value, and of what may be left out: how often, of all calls, one of ours is sent. */
const often = 0.8
const seldom = 0.25

/** New in each call: what is taken once, and what is kept with the first answer. */
const fresh = (name: string) => Array.from({ length: 100 }, (_, at) => `fuzz-${name.toLowerCase()}-${at}`)

/** Whatever the group: what no schema says, and no record has. */
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
  replacement: ['https://shop.example.org/$1', '/elsewhere'],
  recipient: ['age1w2j83d77vfdw3qls9uhl5a4j8jks7ccmcc3c4fdc27cnrld55p0qp2gjsf', 'installation'],
  identity: ['AGE-SECRET-KEY-1'],
  externalPort: [20_001, 20_002, 20_003],
  publishedPort: Array.from({ length: 100 }, (_, at) => 21_000 + at),
  email: Array.from({ length: 100 }, (_, at) => `fuzz-${at}@example.org`),
  operation: ['project.create'],
}

/** What is sent in place of the description's own example: so long no call should wait. */
const headers: Record<string, Values> = {
  Prefer: ['wait=1', 'wait=0', 'respond-async, wait=1'],
  'Idempotency-Key': fresh('key'),
}

type Given = Pick<Samples, 'known' | 'more'>

/** What is good as the field of that operation. */
function valuesOf(operation: Operation, name: string, { known, more }: Given): Values {
  if (more[name] !== undefined) return more[name]
  const [group, verb] = operation.name.split('.') as [string, string]
  if (name === 'appName' && verb === 'create') return fresh(group)
  const whole = completeInput(operation, known)[name]
  const isText = typeof whole === 'string' || typeof whole === 'number'
  const record = name.endsWith('Id') && typeof known[name] === 'string' ? [known[name]] : []
  return [...(isText ? [whole] : []), ...record, ...(samples[name] ?? [])]
}

/**
 * All of schemathesis' checks are on but for these. A rule between fields, or about what there is, is in no schema:
 * what fits the schema may be refused (positive_data_acceptance). Two know a removal by the method DELETE and a record
 * by its path, which no call of Berth has: verdicts.ts has their rules. Records belong to the team and not to the
 * account that made them (object_level_authorization).
 */
const checks = [
  '[checks]',
  ...['positive_data_acceptance', 'use_after_free', 'ensure_resource_availability', 'object_level_authorization'].map(
    (name) => `${name}.enabled = false`,
  ),
  // Of these three verdicts.ts knows where they may come from.
  'not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 502, 503, 504]',
]

const text = (value: unknown) => JSON.stringify(value)

/**
 * The TOML of a run. Values are bound to fields by their names, whatever the operation: to look up bindings of single
 * ones takes schemathesis longer than the request, once there are a hundred of them.
 */
export function settingsOf(operations: readonly Operation[], given: Given): string {
  const dictionaries: string[] = []
  const bind = (key: string, values: Values, probability: number) => {
    const name = `values-${dictionaries.length}`
    dictionaries.push(`[dictionaries.${name}]`, `values = ${text(values)}`)
    return `${text(key)} = { dictionary = ${text(name)}, probability = ${probability} }`
  }
  const bound = Object.entries(headers).map(([name, values]) => bind(`header.${name}`, values, often))
  for (const place of ['query', 'body']) {
    const asked = operations.filter((it) => (methodOf(it) === 'GET' ? 'query' : 'body') === place)
    for (const name of new Set(asked.flatMap(({ input }) => Object.keys(input.shape)))) {
      const users = asked.filter(({ input }) => Object.hasOwn(input.shape, name))
      const values = new Set(users.flatMap((it) => valuesOf(it, name, given)))
      const isAsked = users.some((it) => requiredOf(it).includes(name))
      if (values.size > 0) bound.push(bind(`${place}.${name}`, [...values], isAsked ? often : seldom))
    }
  }
  const single = operations.flatMap((operation) => {
    const bindings = fittingOf(operation, given).map(([name, values, probability]) => bind(name, values, probability))
    return bindings.length === 0
      ? []
      : ['[[operations]]', `include-operation-id = ${text(operation.name)}`, `parameters = { ${bindings.join(', ')} }`]
  })
  return [...checks, '[parameters]', ...bound, ...single, ...dictionaries, ''].join('\n')
}

/** Of few operations: values that are good together alone. */
function fittingOf({ name }: Operation, { known }: Given): [name: string, values: Values, probability: number][] {
  const [group, verb] = name.split('.') as [string, string]
  if (verb === 'reload') return [['body.appName', [`sweep-${group}-appname`], often]]
  if (name !== 'backup.create') return []
  const [one, ...others] = kinds.filter(({ backup }) => backup !== undefined)
  return [
    ['body.databaseType', [one!.name], often],
    [`body.${one!.idField}`, [known[one!.idField] as string], often],
    ...others.map(({ idField }): [string, Values, number] => [`body.${idField}`, ['none'], 0.01]),
  ]
}
