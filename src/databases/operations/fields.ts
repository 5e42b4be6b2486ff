/** The input schemas and record schemas of databases of one kind. */
import { z } from 'zod'
import { answerShape } from '../../api/answer-shape.ts'
import {
  AppName,
  appNameText,
  commandOf,
  commandText,
  Env,
  envText,
  externalPortText,
  Image,
  optional,
  Port,
  placement,
  required,
  Status,
} from '../columns.ts'
import { driftSubjects } from '../drift-details.ts'
import { driftReasons, statusReasons } from '../status-message.ts'
import type { Kind } from '../../kinds/kind.ts'
import { parseEnvFile } from '../../lib/text/env-file.ts'
import { RegistryId } from './images.ts'
import { answeredIdOf, CreatedAt, Id, idOf } from '../../api/fields.ts'

/** The codes of the reasons of a database's status and of its drift. */
export const StatusReasonCode = z.enum(statusReasons).meta({ title: 'StatusReason' })
const DriftReasonCode = z.enum(driftReasons).meta({ title: 'DriftReason' })

const DriftDetail = z
  .object({
    code: DriftReasonCode.describe('Code of the difference'),
    subject: z.enum(driftSubjects).describe('What differs. gateway: the proxy that holds the external port'),
    expected: z.string().describe('What Berth expects, as text for people'),
    found: z.string().describe('What Berth found, as text for people'),
  })
  .meta({ title: 'DriftDetail' })

/**
 * The schema of `appName`. Some kinds require a value. For the others, create derives an empty `appName` from `name`.
 */
const appNameOf = (kind: Kind) =>
  kind.isAppNameOptional
    ? AppName.describe(`${appNameText}. Empty: create derives it from name, update keeps it`)
    : AppName.min(1, 'must not be empty').describe(appNameText)

/** The schema of `dockerImage`, with an example of the kind. */
const imageOf = ({ defaultImage }: Kind) =>
  Image.describe(`Image of the server, such as ${defaultImage} or registry.example.com/team/${defaultImage}`)

/** The schema of `env`. Rejects variables that Berth sets itself. */
const envOf = (kind: Kind) =>
  Env.superRefine((env, context) => {
    for (const name of Object.keys(parseEnvFile(env).values)) {
      if (!Object.hasOwn(kind.reserved, name)) continue
      context.addIssue({ code: 'custom', message: `${name} is set by Berth: ${kind.reserved[name]}` })
    }
  })

/** The schema of `command`. Rejects arguments with which a server of the kind cannot run. */
const optionalCommand = ({ refusedArgument }: Kind) =>
  commandOf(refusedArgument ?? (() => null))
    .nullable()
    .optional()
    .describe(commandText)

const optionalEnv = (kind: Kind) => envOf(kind).nullable().optional().describe(envText)

const { description, ...otherColumns } = optional.shape

/** The optional fields of create and update. */
const optionalFields = (kind: Kind) => ({
  description,
  registryId: RegistryId,
  ...otherColumns,
  command: optionalCommand(kind),
  env: optionalEnv(kind),
  createdAt: z
    .string()
    .optional()
    .describe('Cannot change. Update accepts only the value of the record; create refuses every value.'),
  ...placement.shape,
})

export function createInput(kind: Kind) {
  const named = { name: required.shape.name, appName: appNameOf(kind), projectId: required.shape.projectId }
  const fields = { ...named, dockerImage: imageOf(kind).default(kind.defaultImage), ...optionalFields(kind) }
  const shape: typeof fields = { ...named, ...kind.settings.shape, ...fields }
  return z.object(shape)
}

export type CreateInput = z.infer<ReturnType<typeof createInput>>

export function updateInput(kind: Kind) {
  const named = {
    ...required.partial().shape,
    appName: appNameOf(kind).optional(),
    dockerImage: imageOf(kind).optional(),
  }
  const fields = { ...named, ...optionalFields(kind) }
  const shape: typeof fields = { [kind.idField]: databaseId(kind), ...fields, ...kind.settings.partial().shape }
  return z.object(shape)
}

export type UpdateInput = z.infer<ReturnType<typeof updateInput>>

const recordName = (kind: Kind) => `${kind.label} service`
const databaseId = (kind: Kind) => idOf(recordName(kind))

/** The input of a call about one database: its id, whose name depends on the kind, and `fields`. */
export function inputOf<S extends z.ZodRawShape>(kind: Kind, fields: S): z.ZodObject<S> {
  const shape: S = { [kind.idField]: databaseId(kind), ...fields }
  return z.object(shape)
}

/** The id of the database in an input. The name of its field is `kind.idField`. */
export const idIn = (kind: Kind, input: object): string => Id.parse(Reflect.get(input, kind.idField))

export const idInput = (kind: Kind) => inputOf(kind, {})

/** The input of a read of one database. */
export const readInput = (kind: Kind) =>
  inputOf(kind, {
    masked: z
      .enum(['true', 'false'], 'must be true or false')
      .default('false')
      .describe('If true, the passwords in the answer are masked, and the read is not recorded in the audit log'),
  })

export const envInput = (kind: Kind) => inputOf(kind, { env: optionalEnv(kind) })
export const portInput = (kind: Kind) => inputOf(kind, { externalPort: Port.nullable().describe(externalPortText) })
export const statusInput = (kind: Kind) => inputOf(kind, { applicationStatus: Status })

export function reloadInput(kind: Kind) {
  const appName = appNameOf(kind).describe('The appName of the service, to confirm that it is to restart')
  return inputOf(kind, { appName })
}

export function regainInput(kind: Kind) {
  const confirm = z.string().describe('The appName of the service, to confirm that it is to restart twice')
  return inputOf(kind, { confirm })
}

const AcceptNewData = z
  .boolean()
  .optional()
  .describe(
    'If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then ' +
      "accepts the data on the volume as the service's data. API tokens need the scope admin for this.",
  )

const Anew = z
  .boolean()
  .optional()
  .describe(
    'If true, start on a new, empty volume, for example because the first start was interrupted (see volumeFault). The ' +
      'old volume is kept. Refused if Berth has ever logged in to the data. API tokens need the scope admin for this.',
  )

/** The input of calls that start a service. */
export const startInput = (kind: Kind) => inputOf(kind, { acceptNewData: AcceptNewData, anew: Anew })

export const deployInput = (kind: Kind) =>
  startInput(kind).extend({
    pull: z
      .boolean()
      .optional()
      .describe(
        'If true, resolve dockerImage again in its registry and run the resulting image. An image that is in no ' +
          "registry is resolved again on Berth's node. If false, the deployed image stays until dockerImage changes.",
      ),
  })

const { name, appName, projectId, dockerImage } = answerShape(required.shape)

/** A service in a list, with masked passwords. */
export const listRecord = (kind: Kind) =>
  z.object({
    [kind.idField]: answeredIdOf(recordName(kind)),
    name,
    appName,
    ...answerShape({ description }),
    ...answerShape(kind.settings.shape),
    dockerImage,
    ...answerShape(optional.shape),
    statusReason: z.string().nullable().describe('Reason of the status as a message for people; null without a reason'),
    statusCode: StatusReasonCode.nullable().describe(
      'Code of the reason, for programs. The code is stable, the message is not. Null without a reason.',
    ),
    pendingChanges: z
      .boolean()
      .describe('Whether the record differs from the deployed configuration; deploy applies it'),
    createdAt: CreatedAt,
    projectId,
  })

const Connection = z
  .object({
    internalUrl: z.string().describe("URL for services on Berth's network"),
    externalUrl: z
      .string()
      .nullable()
      .describe(
        'URL for clients outside the swarm; null without an external port, and while the service is not deployed or is stopped',
      ),
  })
  .describe(
    'URLs with which clients connect. After the first deploy they have the deployed credentials and port, even while ' +
      'pendingChanges is true. A masked password is ******** here too',
  )

/** A backup in the record of its service. backup.one answers all fields. */
const BackupSummary = z.object({
  backupId: answeredIdOf('backup'),
  schedule: z.string().describe('When to dump: a cron expression, or a name such as @daily'),
  timezone: z.string().describe('Time zone of the schedule'),
  enabled: z.boolean().describe('Whether the schedule is active'),
  database: z.string().describe('Name of the dumped database within the server'),
  destinationId: answeredIdOf('destination of the dumps'),
  nextAt: z.string().nullable().describe('When the next dump is due; null while disabled'),
})

/** The complete record of a service. */
export const record = (kind: Kind) => recordFields(kind).meta({ title: kind.name })

const recordFields = (kind: Kind) =>
  listRecord(kind).extend({
    resolvedImage: z
      .string()
      .describe('Image that Berth uses for dockerImage. Differs only for default images that exist in no registry.'),
    imageDigest: z
      .string()
      .nullable()
      .describe(
        'Image that dockerImage was resolved to at the deploy: name@sha256:..., or the id (sha256:...) of an image ' +
          'that is in no registry. Every later start uses this image. Null before the image is resolved.',
      ),
    imageVersion: z
      .string()
      .nullable()
      .describe(
        'Version of the server in that image, such as 15 or 8.4. Contains only the parts that decide which data the ' +
          'server can open. Null before the image is resolved, or if the version is unknown.',
      ),
    connection: Connection,
    node: z
      .string()
      .nullable()
      .describe('Host name of the node with the volume; before the volume exists, the requested node or null'),
    nodeLabel: z
      .string()
      .nullable()
      .describe('Label that was requested for the node of the volume; null if no label was requested'),
    containerState: z
      .string()
      .nullable()
      .describe(
        'State of the container: that of its Swarm task, such as starting, running or failed; missing if there is no ' +
          'task; unknown if the node is not available. Null if never deployed or stopped',
      ),
    drift: z
      .array(z.string())
      .describe(
        'Differences between the running services and the deployed configuration, as messages; empty if there are none',
      ),
    driftCodes: z.array(DriftReasonCode).describe('Codes of the differences, in the same order'),
    driftDetails: z.array(DriftDetail).describe('The differences as expected and found, in the same order'),
    volume: z.string().nullable().describe('Name of the Docker volume; null before the first deploy'),
    volumeFault: z
      .enum(['VolumeMissing', 'DataReplaced', 'FirstStartInterrupted'])
      .nullable()
      .describe(
        'Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. ' +
          'DataReplaced: the volume contains other data than before. FirstStartInterrupted: the first start was ' +
          'interrupted, so the data is incomplete. Null if no fault is known.',
      ),
    lastDeployedAt: z
      .string()
      .nullable()
      .describe('When deploy, start, reload or a repair last succeeded; null: never'),
    backups: z.array(BackupSummary).describe('Backups of the service, oldest first'),
  })
