/** The input and record schemas of databases of one kind. */
import { z } from 'zod'
import { AppName, answerShape, Env, Image, optional, Port, placement, required, Status } from '../columns.ts'
import { driftReasons, statusReasons } from '../status-message.ts'
import type { Kind } from '../../kinds/kind.ts'
import { parseEnvFile } from '../../lib/text/env-file.ts'
import { FromRegistry } from './images.ts'
import { Id } from '../../api/fields.ts'

/** The schema of `appName`. Some kinds require a name; the others derive it from `name`. */
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
  registryId: FromRegistry,
  ...otherColumns,
  env: envOf(kind).nullable().optional().describe('Lines of NAME=value'),
  createdAt: z.string().optional().describe('Of the record: another one is refused, and so is any on create'),
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

/** The database id in an input made by `inputOf`. */
export const idIn = (kind: Kind, input: object): string => Id.parse(Reflect.get(input, kind.idField))

export const idInput = (kind: Kind) => inputOf(kind, {})
export const envInput = (kind: Kind) => inputOf(kind, { env: envOf(kind).nullable().optional() })
export const portInput = (kind: Kind) => inputOf(kind, { externalPort: Port.nullable() })
export const statusInput = (kind: Kind) => inputOf(kind, { applicationStatus: Status })

const AcceptNewData = z
  .boolean()
  .optional()
  .describe(
    'True: start although the volume is missing or holds other data ' +
      'than before (volumeFault); what is there then counts as the data. An API token needs the scope admin for it',
  )

/** The input of calls that start a service. */
export const startInput = (kind: Kind) => inputOf(kind, { acceptNewData: AcceptNewData })

export const deployInput = (kind: Kind) =>
  startInput(kind).extend({
    pull: z
      .boolean()
      .optional()
      .describe(
        'Ask the registry what dockerImage stands for now, and run that. An image that ' +
          'no registry has named is read anew from the machine. Without, the image that was deployed stays until ' +
          'dockerImage changes',
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
    statusReason: z.string().nullable().describe('Why it is so, in a sentence'),
    statusCode: z.enum(statusReasons).nullable().describe('The name of that reason, for programs; null without one'),
    pendingChanges: z.boolean().describe('The record differs from what runs: deploy applies it'),
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
    resolvedImage: z.string().describe('What the image stands for, where it is a documented default of no registry'),
    imageDigest: z
      .string()
      .nullable()
      .describe(
        'What dockerImage stood for when it was deployed, and what starts again: ' +
          'name@sha256:..., or the id (sha256:...) of an image that no registry has named. Null before that is known',
      ),
    imageVersion: z
      .string()
      .nullable()
      .describe(
        'The series of the server in that image (15, 8.4), as far as it decides which files open; imageDigest ' +
          'tells builds of it apart. Null before it is known, or where nothing tells it',
      ),
    connection: z.object({ internalUrl: z.string(), externalUrl: z.string().nullable() }),
    node: z
      .string()
      .nullable()
      .describe('The host name of the node that holds the volume; before there is one, the node that was asked for'),
    nodeLabel: z.string().nullable().describe('The label that the node had to carry when the volume was made'),
    containerState: z.string().nullable(),
    drift: z.array(z.string()).describe('How what runs differs from what was deployed; empty where it does not'),
    driftCodes: z.array(z.enum(driftReasons)).describe('The names of those differences, in the same order'),
    volume: z.string().nullable().describe('The name of the volume; volume.all lists it'),
    volumeFault: z
      .enum(['VolumeMissing', 'DataReplaced'])
      .nullable()
      .describe(
        'Why the service is not started on its ' +
          'volume: it is not on its node any more, or holds other data than before; null where nothing is known to ' +
          'be wrong with it',
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
