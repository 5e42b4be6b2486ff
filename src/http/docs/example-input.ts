/** Example inputs of operations: valid values that look like those of a small shop. */
import { createHash } from 'node:crypto'
import type { Operation } from '../../api/contract.ts'
import { groupOf, type Schema } from '../openapi-schemas.ts'

type Input = Record<string, unknown>

/** Values by the name of the field, and before them by the group of the operation. */
const values: Record<string, unknown> = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  appName: 'shop-orders',
  availability: 'drain',
  bucket: 'shop-backups',
  certificateData: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
  confirm: 'shop-orders',
  database: 'orders',
  databaseName: 'orders',
  databasePassword: 'a-long-random-password',
  databaseRootPassword: 'another-random-password',
  databaseUser: 'orders',
  description: 'Orders of the web shop',
  email: 'ada@example.org',
  endpoint: 'https://s3.example.org',
  env: 'TZ=Europe/Berlin',
  externalPort: 15432,
  imagePrefix: 'shop',
  keepLatest: 14,
  limit: 20,
  memoryLimit: 1024,
  missingNodeId: 'm3x8q1vz6k2w9t4r7d5s0y1bn',
  name: 'orders',
  node: 'web-2',
  nodeId: 'q6vnz8d3s1x7m2k9w4t5r0y1b',
  order: 'desc',
  password: 'a-long-random-password',
  permanent: true,
  pin: '123 456',
  prefix: 'shop/orders',
  privateKey: '-----BEGIN PRIVATE KEY-----\nMIGH…\n-----END PRIVATE KEY-----\n',
  publishedPort: 5353,
  regex: '^https://shop\\.example\\.org/old/(.*)$',
  region: 'eu-central-1',
  registryName: 'company',
  registryUrl: 'images.example.org',
  replacement: 'https://shop.example.org/$1',
  rol: 'user',
  schedule: '0 3 * * *',
  scope: 'deploy',
  secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  targetPort: 53,
  token: 'berth_invt_…',
  time: '2027-01-31T12:00:00Z',
  timezone: 'Europe/Berlin',
  url: 'https://shop.example.org/old/shoes?size=40',
  username: 'ada',
  volume: 'shop-orders-data',
}
const valuesOfGroup: Record<string, Record<string, unknown>> = {
  auth: { name: 'ci' },
  certificates: { name: 'shop.example.org' },
  cluster: { confirm: 'web-2' },
  database: { name: 'shop/orders' },
  destination: { name: 'offsite' },
  project: { name: 'shop', description: 'The web shop' },
  state: {
    code: 'k3fa-7qzm-2xbn',
    takeProposals: true,
    version: '9d1f04c6ab27e835',
    decisions: { 'shop-cache': 'adopt' },
    adoptions: { 'shop-cache': { databasePassword: 'a-long-random-password' } },
  },
}

/** Optional fields that most calls give, in all groups and in some. */
const usefulFields = new Set(['availability', 'description', 'externalPort', 'keepLatest', 'memoryLimit', 'timezone'])

const usefulFieldsOfGroup: Record<string, string[]> = {
  backup: ['appName', 'backupId', 'runId'],
  state: ['takeProposals', 'decisions', 'adoptions'],
}

/** An operation with at most this many optional fields shows those that have an example value. */
const maxOptionalFields = 2

/** The required fields of the operation, and some optional ones. */
export function exampleInput(operation: Operation, { properties = {}, required = [] }: Schema): Input {
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const isUseful = (name: string) =>
    usefulFields.has(name) ||
    usefulFieldsOfGroup[groupOf(operation)]?.includes(name) === true ||
    (optional.length <= maxOptionalFields && name !== 'limit' && Object.hasOwn(values, name)) ||
    // The newest entries of a list that grows.
    (Object.hasOwn(properties, 'since') && (name === 'order' || name === 'limit'))
  const names = Object.keys(properties).filter((name) => required.includes(name) || isUseful(name))
  const entries = names.map((name) => [name, exampleValue(groupOf(operation), name, properties[name] as Schema)])
  return withReference(Object.fromEntries(entries), properties)
}

/** A field that names the type of a record needs the field with the id of that record. */
function withReference(input: Input, properties: object): Input {
  const ids = Object.values(input)
    .map((value) => `${value}Id`)
    .filter((name) => Object.hasOwn(properties, name))
  return { ...input, ...Object.fromEntries(ids.map((name) => [name, idOf(name)])) }
}

function exampleValue(group: string, name: string, field: Schema): unknown {
  const value = valuesOfGroup[group]?.[name] ?? values[name]
  if (value !== undefined) return value
  if (field.enum !== undefined) return field.enum[0]
  return name === 'id' || name.endsWith('Id') ? idOf(name) : `<${name}>`
}

/** The same id for the same field on the whole page. Source of the form: RFC 9562 (version 7). */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `0199d3c2-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`
}
