/**
 * The schemas of the columns of a database that a caller sets. The following are derived from these schemas: the input
 * of create and update, the record, the target, the initial row, and the statements that write them. A new column needs
 * an entry here, a migration, and the code that uses its value.
 */
import { z } from 'zod'
import { parseEnvFile } from '../lib/text/env-file.ts'
import { parseImage } from '../lib/text/image-reference.ts'
import { splitShellWords } from '../lib/text/shell-words.ts'
import { Description, Id, Name } from '../api/fields.ts'

/** Swarm's rule for service names. The pattern matches in linear time. */
const appNamePattern = /^[A-Za-z0-9](?:[-_A-Za-z0-9]*[A-Za-z0-9])?$/

export const AppName = z
  .string()
  .refine(
    (name) => name === '' || (name.length <= 63 && appNamePattern.test(name)),
    'must be at most 63 letters, digits, - and _, and begin and end with a letter or digit (or be empty)',
  )

export const Image = z
  .string()
  .refine(
    (image) => parseImage(image) !== null,
    'must be an image reference such as postgres:15 or registry.example.com/team/postgres:15',
  )

export const Status = z
  .enum(['idle', 'running', 'done', 'error'])
  .describe(
    'idle: never deployed, or stopped. running: work is in progress. done: Berth has logged in to the database. error: ' +
      'see statusReason. A status that a call has set is shown until Berth records the next one',
  )

/** The arguments of the server. Of the ASCII control characters, the text may contain only tabs and line ends. */
const Command = z
  .string()
  .max(16_384, 'must have at most 16384 characters')
  .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, 'must not contain control characters')

/** @param refusedArgument why the server cannot get an argument, as the end of "must not contain ..."; null if it can */
export function commandOf(refusedArgument: (args: readonly string[]) => string | null) {
  return Command.superRefine((command, context) => {
    try {
      const refused = refusedArgument(splitShellWords(command))
      if (refused !== null) context.addIssue({ code: 'custom', message: `must not contain ${refused}` })
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
    }
  })
}

/**
 * Valid `.env` text of at most 64 KiB. Each kind also refuses some variable names; see operations/fields.ts. The text
 * is stored sealed.
 */
export const Env = z
  .string()
  .refine((env) => Buffer.byteLength(env) <= 65_536, 'must have at most 64 KiB')
  .superRefine((env, context) => {
    const { faults } = parseEnvFile(env)
    for (const { line, message } of faults) context.addIssue({ code: 'custom', message: `line ${line}: ${message}` })
  })

/**
 * Docker refuses a memory limit below 6 MiB. The upper bounds of memory and CPU catch numbers in the wrong unit, such
 * as bytes instead of MiB.
 */
const Memory = z.number().min(6, 'must be at least 6 (MiB)').max(16_777_216, 'must be in MiB: at most 16,777,216')
const Cpu = z.number().min(0.01, 'must be at least 0.01 (cores)').max(1024, 'must be in cores: at most 1024')

export const Port = z
  .number()
  .int('must be a whole number')
  .min(1, 'must be 1 to 65535')
  .max(65_535, 'must be 1 to 65535')

/** At most 30 days. */
const Minutes = z
  .number()
  .int('must be a whole number of minutes')
  .min(1, 'must be 1 to 43200 (minutes)')
  .max(43_200, 'must be 1 to 43200 (minutes)')

const withoutControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]*$/

export const NodeText = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(withoutControlCharacters, 'must not contain control characters')

const NodeLabel = z
  .string()
  .max(511, 'must have at most 511 characters')
  .regex(/^[^=\s]+=/, 'must have the form name=value, such as disk=ssd')
  .regex(withoutControlCharacters, 'must not contain control characters')

export const appNameText =
  'Name of the service on the swarm, and its host name for other services: at most 63 letters, digits, hyphens and ' +
  'underscores. No other service has this name. It cannot change after the first deploy'

/**
 * Columns that always have a value. Create requires them, except `dockerImage`, for which the kind has a default; see
 * `createInput` in operations/fields.ts. If a column is left out, update keeps its stored value.
 */
export const required = z.object({
  name: Name.describe('Display name, such as orders. Several services may have the same name'),
  appName: AppName.describe(appNameText),
  projectId: Id.describe('Id of the project of the service. Another id in an update moves the service there'),
  dockerImage: Image.describe('Image of the server, as it was entered'),
})

export const commandText =
  'Arguments of the server, quoted as for a POSIX shell, such as --max-connections=200 for MySQL or PostgreSQL. ' +
  'The entry point of the image gets them in place of its command. An image without an entry point gets them ' +
  'after the program of its command. Nothing is expanded. Null: no arguments'

export const envText =
  'Environment variables of the container, as lines of NAME=value, at most 64 KiB. Null: none. Everybody who can read ' +
  'the service can read them'

export const externalPortText =
  'Port of the node on which clients outside the swarm reach the database. Null: not reachable from outside'

/**
 * Columns that create and update accept. If a column is left out, create stores its initial value, and update keeps its
 * stored value.
 */
export const optional = z.object({
  description: Description,
  command: commandOf(() => null)
    .nullable()
    .optional()
    .describe(commandText),
  env: Env.nullable().optional().describe(envText),
  memoryReservation: Memory.nullable()
    .optional()
    .describe('MiB of memory that Swarm reserves for the container on its node, at most memoryLimit. Null: none'),
  memoryLimit: Memory.nullable()
    .optional()
    .describe('MiB of memory that the container can use at most. Null: no limit'),
  cpuReservation: Cpu.nullable()
    .optional()
    .describe(
      'Cores that Swarm reserves for the container on its node, at most cpuLimit. 0.5: half a core. Null: none',
    ),
  cpuLimit: Cpu.nullable()
    .optional()
    .describe('Cores that the container can use at most. 0.5: half a core. Null: no limit'),
  externalPort: Port.nullable().optional().describe(externalPortText),
  startTimeout: Minutes.nullable()
    .optional()
    .describe(
      'Minutes that a start may take until the server is ready, including the initialization or the recovery of its ' +
        'data. A deployment that takes longer fails and stops the server. A change takes effect at once. Null: Berth ' +
        'waits as long as the container lives',
    ),
  applicationStatus: Status.optional(),
})

/**
 * Columns that say where the volume is created. Once the volume exists, only a move changes them. Records in lists do
 * not contain them.
 */
export const placement = z.object({
  node: NodeText.nullable()
    .optional()
    .describe(
      'Id or host name of the node on which the first deploy creates the volume. Null: Berth chooses one. Cannot change ' +
        'afterwards',
    ),
  nodeLabel: NodeLabel.nullable()
    .optional()
    .describe('Instead of node: a label that the node must have, such as disk=ssd. Null: none'),
})

const stored = optional.required()
const storedPlacement = placement.required()
/** A deploy copies the optional columns into the target, except those that do not change what runs. */
const deployed = stored.omit({ description: true, startTimeout: true, applicationStatus: true })

export type Columns = z.infer<typeof stored>
export type Placement = z.infer<typeof storedPlacement>
export type PlacementInput = z.infer<typeof placement>
export type DeployedColumns = z.infer<typeof deployed>

export const columnNames = stored.keyof().options
export const placementNames = storedPlacement.keyof().options
export const deployedNames = deployed.keyof().options

/**
 * The initial values other than null. A migration that adds such a column must store the same value for existing
 * databases.
 */
const initialValues = { applicationStatus: 'idle' }

const nulls = Object.fromEntries([...columnNames, ...placementNames].map((name) => [name, null]))
export const initialColumns: Columns & Placement = {
  ...stored.parse({ ...nulls, ...initialValues }),
  ...storedPlacement.parse(nulls),
}
/** The values of columns that are missing in a stored target because they were added later. */
export const initialTarget: DeployedColumns = deployed.parse(initialColumns)

/** The properties of `from` with these names. */
export function pick<T, N extends keyof T>(from: T, names: readonly N[]): Pick<T, N> {
  const picked: Partial<Pick<T, N>> = {}
  for (const name of names) picked[name] = from[name]
  return picked as Pick<T, N>
}
