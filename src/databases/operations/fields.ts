/** The input schemas and record schemas of databases of one kind. */
import { z } from 'zod'
import { AppName, answerShape, Env, Image, optional, Port, placement, required, Status } from '../columns.ts'
import { driftReasons, statusReasons } from '../status-message.ts'
import type { Kind } from '../../kinds/kind.ts'
import { parseEnvFile } from '../../lib/text/env-file.ts'
import { RegistryId } from './images.ts'
import { Id } from '../../api/fields.ts'

/**
 * The schema of `appName`. Some kinds require a value. For the others, create derives an empty `appName` from `name`.
 */
export const appNameOf = (kind: Kind) => (kind.isAppNameOptional ? AppName : AppName.min(1, 'must not be empty'))

/** The schema of `env`. Rejects variables that Berth sets itself. */
const envOf = (kind: Kind) =>
  Env.superRefine((env, context) => {
    for (const name of Object.keys(parseEnvFile(env).values)) {
      if (!Object.hasOwn(kind.reserved, name)) continue
      context.addIssue({ code: 'custom', message: `${name} is set by Berth: ${kind.reserved[name]}` })
    }
  })

const { description, ...otherColumns } = optional.shape

/** The optional fields of create and update. */
const optionalFields = (kind: Kind) => ({
  description,
  registryId: RegistryId,
  ...otherColumns,
  env: envOf(kind).nullable().optional().describe('Environment variables of the server, as lines of NAME=value'),
  createdAt: z
    .string()
    .optional()
    .describe('Cannot change. Update accepts only the value of the record; create refuses every value.'),
  ...placement.shape,
})

export function createInput(kind: Kind) {
  const named = { name: required.shape.name, appName: appNameOf(kind), projectId: required.shape.projectId }
  const fields = { ...named, dockerImage: Image.default(kind.defaultImage), ...optionalFields(kind) }
  const shape: typeof fields = { ...named, ...kind.settings.shape, ...fields }
  return z.object(shape)
}

export type CreateInput = z.infer<ReturnType<typeof createInput>>

export function updateInput(kind: Kind) {
  const named = { ...required.partial().shape, appName: appNameOf(kind).optional() }
  const fields = { ...named, ...optionalFields(kind) }
  const shape: typeof fields = { [kind.idField]: Id, ...fields, ...kind.settings.partial().shape }
  return z.object(shape)
}

export type UpdateInput = z.infer<ReturnType<typeof updateInput>>

/** The input of a call about one database: its id, whose name depends on the kind, and `fields`. */
export function inputOf<S extends z.ZodRawShape>(kind: Kind, fields: S): z.ZodObject<S> {
  const shape: S = { [kind.idField]: Id, ...fields }
  return z.object(shape)
}

/** The id of the database in an input. The name of its field is `kind.idField`. */
export const idIn = (kind: Kind, input: object): string => Id.parse(Reflect.get(input, kind.idField))

export const idInput = (kind: Kind) => inputOf(kind, {})
export const envInput = (kind: Kind) => inputOf(kind, { env: envOf(kind).nullable().optional() })
export const portInput = (kind: Kind) => inputOf(kind, { externalPort: Port.nullable() })
export const statusInput = (kind: Kind) => inputOf(kind, { applicationStatus: Status })

const AcceptNewData = z
  .boolean()
  .optional()
  .describe(
    'If true, start even if the volume is missing or contains other data than before (see volumeFault). Berth then ' +
      "accepts the data on the volume as the service's data. API tokens need the scope admin for this.",
  )

/** The input of calls that start a service. */
export const startInput = (kind: Kind) => inputOf(kind, { acceptNewData: AcceptNewData })

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

/** A service in a list, with masked passwords. */
export const listRecord = (kind: Kind) =>
  z.object({
    [kind.idField]: z.string(),
    name: z.string(),
    appName: z.string(),
    description: z.string().nullable(),
    ...settingsShape(kind),
    dockerImage: z.string(),
    ...answerShape(optional),
    statusReason: z.string().nullable().describe('Reason of the status as a message for people; null without a reason'),
    statusCode: z
      .enum(statusReasons)
      .nullable()
      .describe('Code of the reason, for programs. The code is stable, the message is not. Null without a reason.'),
    pendingChanges: z
      .boolean()
      .describe('Whether the record differs from the deployed configuration; deploy applies it'),
    createdAt: z.string(),
    projectId: z.string(),
  })

/** The settings without the kind's limits; see `answerShape` in databases/columns.ts. */
function settingsShape(kind: Kind): Record<string, z.ZodString> {
  return Object.fromEntries(Object.keys(kind.settings.shape).map((name) => [name, z.string()]))
}

/** The complete record of a service. */
export const record = (kind: Kind) =>
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
    connection: z.object({ internalUrl: z.string(), externalUrl: z.string().nullable() }),
    node: z
      .string()
      .nullable()
      .describe('Host name of the node with the volume; before the volume exists, the requested node or null'),
    nodeLabel: z
      .string()
      .nullable()
      .describe('Label that was requested for the node of the volume; null if no label was requested'),
    containerState: z.string().nullable(),
    drift: z
      .array(z.string())
      .describe(
        'Differences between the running services and the deployed configuration, as messages; empty if there are none',
      ),
    driftCodes: z.array(z.enum(driftReasons)).describe('Codes of the differences, in the same order'),
    volume: z.string().nullable().describe('Name of the Docker volume; null before the first deploy'),
    volumeFault: z
      .enum(['VolumeMissing', 'DataReplaced'])
      .nullable()
      .describe(
        'Why Berth does not start the service on its volume. VolumeMissing: the volume is no longer on its node. ' +
          'DataReplaced: the volume contains other data than before. Null if no fault is known.',
      ),
    lastDeployedAt: z.string().nullable(),
    backups: z.array(
      z.object({
        backupId: z.string(),
        schedule: z.string(),
        timezone: z.string(),
        enabled: z.boolean(),
        database: z.string(),
        destinationId: z.string(),
        nextAt: z.string().nullable(),
      }),
    ),
  })
