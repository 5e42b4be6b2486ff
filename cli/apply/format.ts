/** The format of a file of `berth apply`, described in docs/apply.md. Pure. */
import { z } from 'zod'
import { suggestion } from '../nearest.ts'
import { generate, hasReference, wholeReference } from './references.ts'
import { isWritable } from '../../shared/env-text.ts'
import { mebibytesIn, portIn } from '../units.ts'

/** The version of the format that this program reads. */
export const formatVersion = 1

/** Empty values of YAML count as left out. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null)
const orElse = <T extends z.ZodType>(schema: T, other: z.output<T>) =>
  schema.nullish().transform((value): z.output<T> => value ?? other)
const section = <T extends z.ZodType>(schema: T, name = Name) => orElse(z.record(name, schema), {})
const listOf = <T extends z.ZodType>(schema: T) => orElse(z.array(schema).max(1000), [])

/** An object that refuses unknown keys and names the nearest known one. A line of the message is about one key. */
function mapping<S extends z.ZodRawShape>(shape: S) {
  const known = Object.keys(shape)
  const about = (key: string) => `unknown key. ${suggestion(key, known) || `The keys are ${known.join(', ')}`}`
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? issue.keys.map(about).join('\n') : undefined),
  })
}

const Name = z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters')
/** Projects and databases are written as project/name. */
const PathName = Name.regex(/^[^/]*$/, 'must not contain a /')

/** A text that is shown in plans, so a reference would reveal what it stands for. */
const Text = z
  .string()
  .max(20_000)
  .refine((text) => !hasReference(text), {
    error: 'must not contain a reference to an environment variable. References stand only for secrets',
  })
const Secret = z
  .string({ error: 'must be a reference to an environment variable, such as ${env:NAME}' })
  .regex(wholeReference, 'must be a reference to an environment variable, such as ${env:NAME}')
const Password = z
  .string({ error: 'must be generate, or a reference such as ${env:NAME}' })
  .refine(
    (text) => text === generate || wholeReference.test(text),
    'must be generate, or a reference such as ${env:NAME}',
  )

const Size = z.union([z.number(), z.string()]).transform((value, context) => {
  const size = typeof value === 'number' ? value : mebibytesIn(value)
  if (size !== null && size > 0) return size
  context.addIssue({ code: 'custom', message: 'must be a size such as 512 MiB or 2 GiB' })
  return z.NEVER
})

const Ports = z.union([z.number(), z.string()]).transform((value, context) => {
  const port = portIn(String(value))
  if (port !== null) return port
  context.addIssue({ code: 'custom', message: 'must be a port such as 8080, 8080:80 or 5353:53/udp' })
  return z.NEVER
})

const Variable = z
  .union([z.string(), z.number(), z.boolean()])
  .transform(String)
  .refine(isWritable, 'must not contain all of the quotes \' " and `')

const count = z.number().int('must be a whole number').min(1, 'must be at least 1')
const Port = count.max(65_535, 'must be 1 to 65535')

const rules = {
  destination: Name,
  schedule: Text,
  prefix: optional(Text),
  timezone: orElse(Text, 'UTC'),
  enabled: orElse(z.boolean(), true),
  verifySchedule: optional(Text),
  keepLatest: optional(count),
  keepDays: optional(count),
  recipient: optional(Text),
  signalUrl: optional(z.string()),
}
/** Most data of MongoDB is in databases with other names than that of the service, so the file names it. */
const Backup = mapping({ ...rules, database: optional(Text) })
const MongoBackup = mapping({ ...rules, database: Text })
/** A backup of Redis has all databases of the server. */
const RedisBackup = mapping(rules)

const common = {
  image: Text,
  appName: optional(Text),
  description: optional(Text),
  state: orElse(z.enum(['running', 'stopped']), 'running'),
  port: optional(Port),
  memory: optional(Size),
  memoryReservation: optional(Size),
  cpu: optional(z.number()),
  cpuReservation: optional(z.number()),
  startTimeout: optional(count),
  node: optional(Text),
  nodeLabel: optional(Text),
  env: section(Variable),
  command: optional(Text),
  password: orElse(Password, generate),
}
const named = { user: optional(Text), database: optional(Text), backups: listOf(Backup) }
const rooted = { ...named, rootPassword: orElse(Password, generate) }

const Database = z.discriminatedUnion(
  'kind',
  [
    mapping({ kind: z.literal('postgres'), ...common, ...named }),
    mapping({ kind: z.literal('mysql'), ...common, ...rooted }),
    mapping({ kind: z.literal('mariadb'), ...common, ...rooted }),
    mapping({
      kind: z.literal('mongo'),
      ...common,
      user: optional(Text),
      replicaSet: optional(Text),
      backups: listOf(MongoBackup),
    }),
    mapping({ kind: z.literal('redis'), ...common, backups: listOf(RedisBackup) }),
  ],
  { error: 'must be postgres, mysql, mariadb, mongo or redis' },
)

const Project = mapping({ description: optional(Text), databases: section(Database, PathName) })

const Destination = mapping({
  kind: orElse(z.enum(['s3', 'sftp']), 's3'),
  endpoint: Text,
  bucket: Text,
  region: orElse(Text, ''),
  accessKey: z.string(),
  secretKey: Secret,
  hostKey: optional(Text),
})

const Redirect = mapping({ regex: Text, replacement: Text, permanent: orElse(z.boolean(), false) })
const Application = mapping({ redirects: listOf(Redirect), users: section(Secret), ports: listOf(Ports) })
const Certificate = mapping({ certificate: z.string(), privateKey: Secret, autoRenew: orElse(z.boolean(), false) })

export const ApplyFile = mapping({
  berth: z.literal(formatVersion, `must be ${formatVersion}, the version of the format`),
  destinations: section(Destination),
  projects: section(orElse(Project, { description: null, databases: {} }), PathName),
  applications: section(Application),
  certificates: section(Certificate),
})

export type ApplyFile = z.output<typeof ApplyFile>
export type DatabaseSpec = z.output<typeof Database>
export type BackupSpec = z.output<typeof Backup | typeof RedisBackup>
export type DestinationSpec = z.output<typeof Destination>
export type ApplicationSpec = z.output<typeof Application>
export type RedirectSpec = z.output<typeof Redirect>
export type CertificateSpec = z.output<typeof Certificate>
export type Kind = DatabaseSpec['kind']
