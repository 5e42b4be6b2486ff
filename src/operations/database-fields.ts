/** The fields that a service of any kind has: their constraints (contract), limits and messages. */
import { z } from 'zod'
import type { Kind } from '../kinds/kind.ts'
import { parseEnvFile } from '../lib/env-file.ts'
import { parseImage } from '../lib/image-reference.ts'
import { splitWords } from '../lib/words.ts'
import { FromRegistry } from './database-images.ts'
import { placementInput } from './database-placement.ts'
import { Description, Id, Name } from './fields.ts'

/** Swarm's own rule for names of services, written so that it matches in linear time. */
const appNamePattern = /^[A-Za-z0-9](?:[-_A-Za-z0-9]*[A-Za-z0-9])?$/

export const AppName = z
  .string()
  .refine(
    (name) => name === '' || (name.length <= 63 && appNamePattern.test(name)),
    'must be at most 63 letters, digits, - and _, and begin and end with a letter or digit (or be empty)',
  )

/** What a kind takes: for some the contract wants a name. */
export const appNameOf = (kind: Kind) => (kind.mayNameItself ? AppName : AppName.min(1, 'must not be empty'))

export const Image = z
  .string()
  .refine(
    (image) => parseImage(image) !== null,
    'must be an image reference such as postgres:15 or registry.example.com/team/postgres:15',
  )

const Status = z.enum(['idle', 'running', 'done', 'error'])

/** Control characters have no place in text that becomes arguments or environment; tabs and line ends do. */
const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, 'must not contain control characters')

const Command = text(16_384).superRefine((command, context) => {
  try {
    splitWords(command)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
  }
})

/** `.env` text of at most 64 KiB that parses and sets nothing that Berth itself sets. */
const envOf = (kind: Kind) =>
  z
    .string()
    .refine((env) => Buffer.byteLength(env) <= 65_536, 'must have at most 64 KiB')
    .superRefine((env, context) => {
      const { values, faults } = parseEnvFile(env)
      for (const { line, message } of faults) context.addIssue({ code: 'custom', message: `line ${line}: ${message}` })
      for (const name of Object.keys(values)) {
        if (!Object.hasOwn(kind.reserved, name)) continue
        context.addIssue({ code: 'custom', message: `${name} is set by Berth: ${kind.reserved[name]}` })
      }
    })

/** Docker takes no memory limit below 6 MiB; the ceilings only keep numbers meant in another unit out. */
const Memory = z.number().min(6, 'must be at least 6 (MiB)').max(16_777_216, 'must be in MiB: at most 16,777,216')
const Cpu = z.number().min(0.01, 'must be at least 0.01 (cores)').max(1024, 'must be in cores: at most 1024')

export const Port = z
  .number()
  .int('must be a whole number')
  .min(1, 'must be 1 to 65535')
  .max(65_535, 'must be 1 to 65535')

/** What create and update take alike. Left out it is null on create, and stays as it is on update. */
const optionalFields = (kind: Kind) => ({
  description: Description,
  registryId: FromRegistry,
  command: Command.nullable().optional(),
  env: envOf(kind).nullable().optional().describe('Lines of NAME=value'),
  memoryReservation: Memory.nullable().optional().describe('MiB'),
  memoryLimit: Memory.nullable().optional().describe('MiB'),
  cpuReservation: Cpu.nullable().optional().describe('Cores'),
  cpuLimit: Cpu.nullable().optional().describe('Cores'),
  externalPort: Port.nullable().optional(),
  applicationStatus: Status.optional(),
  createdAt: z.string().optional().describe('Of the record: another one is refused, and so is any on create'),
  ...placementInput,
})

export const createInput = (kind: Kind) =>
  z.object({
    name: Name,
    appName: appNameOf(kind),
    projectId: Id,
    ...kind.settings.shape,
    dockerImage: Image.default(kind.defaultImage),
    ...optionalFields(kind),
  })

export const updateInput = (kind: Kind) =>
  z.object({
    [kind.idField]: Id,
    name: Name.optional(),
    appName: appNameOf(kind).optional(),
    projectId: Id.optional(),
    dockerImage: Image.optional(),
    ...optionalFields(kind),
    ...kind.settings.partial().shape,
  })

export const envInput = (kind: Kind) => z.object({ [kind.idField]: Id, env: envOf(kind).nullable().optional() })
export const portInput = (kind: Kind) => z.object({ [kind.idField]: Id, externalPort: Port.nullable() })
export const statusInput = (kind: Kind) => z.object({ [kind.idField]: Id, applicationStatus: Status })
export const idInput = (kind: Kind) => z.object({ [kind.idField]: Id })

const AcceptNewData = z
  .boolean()
  .optional()
  .describe(
    'True: start although the volume is missing or holds other data ' +
      'than before (volumeFault); what is there then counts as the data. An API token needs the scope admin for it',
  )

/** Of calls that start a service. */
export const startInput = (kind: Kind) => idInput(kind).extend({ acceptNewData: AcceptNewData })

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

/** A service as lists carry it: the contract's fields, passwords masked. */
export const listRecord = (kind: Kind) =>
  z.object({
    [kind.idField]: z.string(),
    name: z.string(),
    appName: z.string(),
    description: z.string().nullable(),
    ...answerShape(kind),
    dockerImage: z.string(),
    command: z.string().nullable(),
    env: z.string().nullable(),
    memoryReservation: z.number().nullable().describe('MiB'),
    memoryLimit: z.number().nullable().describe('MiB'),
    cpuReservation: z.number().nullable().describe('Cores'),
    cpuLimit: z.number().nullable().describe('Cores'),
    externalPort: z.number().nullable(),
    applicationStatus: Status,
    statusReason: z.string().nullable(),
    pendingChanges: z.boolean().describe('The record differs from what runs: deploy applies it'),
    createdAt: z.string(),
    projectId: z.string(),
  })

/** What was stored once is answered as it is, whatever the rules for new input have become. */
function answerShape(kind: Kind): Record<string, z.ZodString> {
  return Object.fromEntries(Object.keys(kind.settings.shape).map((name) => [name, z.string()]))
}

/** The whole record. */
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
    volume: z.string().nullable().describe('The name of the volume; volume.all lists it'),
    volumeFault: z
      .enum(['VolumeMissing', 'DataReplaced'])
      .nullable()
      .describe(
        'Why the service is not started on its ' +
          'volume: it is not on its node any more, or holds other data than before; null where nothing is known to be ' +
          'wrong with it',
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
