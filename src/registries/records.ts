/** The form of registries in API answers, and fields and checks that the operations of registries share. */
import { z } from 'zod'
import { reasonAnswer } from '../deployments/reason-message.ts'
import { refuse } from '../errors.ts'
import { mask } from '../lib/crypto/mask.ts'
import { hostOf, parseRegistry, splitGroup, usernameFault } from '../lib/registry-client/registry.ts'
import { haveSameImages } from './choice.ts'
import { serverOf } from './queries.ts'
import type { RegistryServerTable } from './table.ts'
import type { Reader, RegistryTable } from '../store/schema.ts'
import { answerShape } from '../api/answer-shape.ts'
import { answeredIdOf, CreatedAt, refuseMask } from '../api/fields.ts'
import { ReasonCode } from '../deployments/fields.ts'

/**
 * A field for a text that is not empty.
 * @param fault returns an error message, or null if the text is valid
 * @param maxLength in characters
 */
export function textField(fault: (text: string) => string | null, maxLength: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .superRefine((text, context) => {
      const message = fault(text)
      if (message !== null) context.addIssue({ code: 'custom', message })
    })
}

export const RegistryUrl = z.string().superRefine((text, context) => {
  if (parseRegistry(text) === null) context.addIssue({ code: 'custom', message: registryUrlFault(text) })
})

function registryUrlFault(text: string): string {
  const group = splitGroup(text)
  if (group === null || !isImagePrefix(group.prefix))
    return 'must be a host like registry.example.com or registry.example.com:5000, with or without https:// or http://'
  const host = group.registryUrl === '' ? 'is empty for Docker Hub' : `is the host ${group.registryUrl}`
  return `must be a host without a path: registryUrl ${host}, and imagePrefix is ${group.prefix}`
}

export const Username = textField(usernameFault, 255).describe('Name with which Berth logs in to the registry')

export const registryUrlText =
  'Host of the registry, such as registry.example.com:5000, with or without https:// or http://'

export const RegistryType = z
  .enum(['selfHosted', 'cloud'], 'must be selfHosted or cloud')
  .describe('selfHosted: on machines of your own. cloud: at a provider, such as Docker Hub')

const imagePrefix = /^(?:[a-z0-9]+(?:(?:[._-]|__)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._-]|__)[a-z0-9]+)*)*)?$/
const isImagePrefix = (text: string): boolean => text.length <= 200 && imagePrefix.test(text)

export const ImagePrefix = z
  .string()
  .max(200, 'must have at most 200 characters')
  .regex(imagePrefix, 'must be empty, or parts of lower-case letters and digits separated by /, like team/project')
  .nullable()
  .describe(
    'Text between the host and the name of an image, such as team/project. Used for databases whose image is given ' +
      'with registryId. Of several registries of a host, an image uses the one with the longest prefix that the image ' +
      'begins with. Null or empty: none',
  )

export const Insecure = z
  .boolean()
  .describe(
    'Whether Berth accepts any certificate of the registry, also a self-signed one. Docker on each node pulls the ' +
      'images, so configure each node as well: add the host of the registry to insecure-registries of dockerd, or put ' +
      'the certificate of its authority into /etc/docker/certs.d/<host>/ca.crt',
  )

const Server = z.object({
  status: z
    .enum(['running', 'done', 'error'])
    .describe('done: the registry runs, and Berth has logged in to it. running: a deployment is in progress'),
  statusReason: z.string().nullable().describe('Reason of the status as a message for people; null without a reason'),
  statusCode: ReasonCode,
  port: z.number().nullable().describe('The published port of the node. Null if the proxy serves the registry'),
  node: z.string().nullable().describe('Host name of the node with the volume; null before the volume exists'),
  volume: z
    .string()
    .nullable()
    .describe('The name of the Docker volume. Berth keeps the volume when the registry is removed'),
  readOnly: z.boolean().describe('True during a garbage collection: the registry refuses pushes and serves pulls'),
})

export const Registry = z.object({
  registryId: answeredIdOf('registry'),
  registryName: z.string().describe('Display name of the registry'),
  registryType: RegistryType,
  registryUrl: z.string().describe('Address of the registry as it was entered; empty: Docker Hub'),
  host: z.string().describe('The host in the names of the images of this registry'),
  username: z.string().describe('Name with which Berth logs in to the registry'),
  password: z.literal(mask).describe('Always this mask. In registry.update, the mask keeps the stored password'),
  ...answerShape({ imagePrefix: ImagePrefix, insecure: Insecure }),
  adminId: z.string().describe('Id of the account of the administrator who is responsible for the registry'),
  createdAt: CreatedAt,
  server: Server.nullable().describe('The service of the registry that Berth runs. Null for all other registries'),
})

/** Returns the row of the registry. Refuses with NOT_FOUND if the registry does not exist. */
export async function findRegistry(db: Reader, id: string): Promise<RegistryTable> {
  return (
    (await db.selectFrom('registry').selectAll().where('id', '=', id).executeTakeFirst()) ??
    refuse('NOT_FOUND', 'No registry with this id. registry.all lists all registries')
  )
}

/** Refuses the mask as a password. Call this where no stored password exists that the mask could stand for. */
export function checkNoMask(password: string): void {
  if (password === mask) refuseMask('password')
}

/** Returns the registry in the form of API answers. */
export async function toRegistry(db: Reader, row: RegistryTable) {
  return toRegistryWith(row, await findServerWithVolume(db))
}

type ServerWithVolume = Pick<RegistryServerTable, 'registryId' | 'status' | 'reason' | 'port' | 'collecting'> & {
  volumeName: string | null
  nodeName: string | null
}

/**
 * Returns the registry that Berth runs, with the names of its volume and its node. Returns undefined if Berth runs no
 * registry.
 */
export async function findServerWithVolume(db: Reader): Promise<ServerWithVolume | undefined> {
  const server = await serverOf(db)
  if (server === undefined) return undefined
  const volume = await db
    .selectFrom('volume')
    .select(['name', 'nodeName'])
    .where('id', '=', server.volumeId ?? '')
    .executeTakeFirst()
  return { ...server, volumeName: volume?.name ?? null, nodeName: volume?.nodeName ?? null }
}

/** Like `toRegistry`, for many rows: `server` is the result of `findServerWithVolume`. */
export function toRegistryWith(
  { id, secrets: _, insecure, ...row }: RegistryTable,
  server: ServerWithVolume | undefined,
) {
  const { reason, reasonCode } = reasonAnswer(server?.reason ?? null)
  return {
    registryId: id,
    ...row,
    insecure: insecure === 1,
    host: hostOf(row.registryUrl)!,
    password: mask,
    server:
      server === undefined || server.registryId !== id
        ? null
        : {
            status: server.status,
            statusReason: reason,
            statusCode: reasonCode,
            port: server.port,
            node: server.nodeName,
            volume: server.volumeName,
            readOnly: server.collecting === 1,
          },
  } as const
}

/** Refuses a second registry with the same host and prefix, because only one of them could be used. */
export async function checkAlone(tx: Reader, row: RegistryTable): Promise<void> {
  const others = await tx.selectFrom('registry').selectAll().where('id', '!=', row.id).execute()
  const other = others.find((one) => haveSameImages(one, row))
  if (other === undefined) return
  const prefix = (row.imagePrefix ?? '') === '' ? 'no prefix' : `the prefix ${row.imagePrefix}`
  refuse(
    'CONFLICT',
    `The registry ${other.registryName} has the same host and ${prefix}. Change its credentials, or give each of the two ` +
      'another prefix (imagePrefix)',
  )
}
