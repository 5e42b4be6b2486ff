/** Operations on volumes: list volumes, create a service on a kept volume, delete a kept volume. */
import { z } from 'zod'
import { command, type CommandContext, query } from '../../api/contract.ts'
import { AppName, appNameText, Image, required } from '../columns.ts'
import { refuse, refuseField } from '../../errors.ts'
import { kindNamed, kinds } from '../../kinds/index.ts'
import type { DatabaseTable, Reader, VolumeTable } from '../../store/schema.ts'
import { sealSettings, settingsOfVolume } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import { checkProject, isNameTaken, makeAppName, refuseName } from './changes.ts'
import { record } from './fields.ts'
import { imageFrom, RegistryId } from './images.ts'
import { toRecord } from './records.ts'
import { checkVersion } from '../begin-work.ts'
import { initialState } from './databases.ts'
import { answeredIdOf, CreatedAt, cutPage, Description, idOf, page } from '../../api/fields.ts'

const Volume = z.object({
  volumeId: answeredIdOf('volume'),
  name: z.string().describe('Name of the Docker volume'),
  kind: z.string().describe('Kind of the database that the volume is for, such as postgres, or registry'),
  version: z
    .string()
    .nullable()
    .describe('Version of the server that wrote the data, such as 15 or 8.4; null if unknown'),
  dataPath: z.string().describe('Path in the container at which the volume is mounted'),
  node: z.string().describe('Host name of the node that has the volume'),
  state: z
    .enum(['attached', 'kept', 'removing'])
    .describe('attached: a service owns it. kept: its service was removed. removing: volume.remove deletes it'),
  databaseId: z
    .string()
    .nullable()
    .describe("Id of the service that owns the volume; null for a kept volume and for the volume of Berth's registry"),
  appName: z.string().describe('appName of the service that owns the volume, or of its last owner'),
  dockerImage: z.string().describe('Image of that service'),
  copyOf: z
    .string()
    .nullable()
    .describe('Name of the volume of another system of which this one is a copy; null if it is not a copy'),
  createdAt: CreatedAt,
  keptAt: z.string().nullable().describe('Since when the volume is kept; null if it is not'),
})

export const all = query({
  name: 'volume.all',
  summary: 'List volumes in use and kept volumes of removed services, oldest first',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Volume),
  async run({ db, setNextCursor }, { limit, cursor }) {
    let rows = db.selectFrom('volume').selectAll().orderBy('id')
    if (cursor !== undefined) rows = rows.where('id', '>', cursor)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map(toVolume)
  },
})

export const restore = command({
  name: 'volume.restore',
  summary: 'Create a service on a kept volume, with the credentials of its data; deploy starts the service',
  access: 'user:admin',
  input: z.object({
    volumeId: idOf('kept volume'),
    name: required.shape.name,
    appName: AppName.default('').describe(`${appNameText}. Empty: Berth derives it from name`),
    projectId: idOf('project of the new service'),
    description: Description,
    dockerImage: Image.optional().describe(
      "Image whose server can open the volume's files. Default: the image that the volume was last used with.",
    ),
    registryId: RegistryId,
  }),
  output: z.union(kinds.map(record)),
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  async run(context, input) {
    const { tx } = context
    const volume = await findKept(tx, input.volumeId)
    await checkProject(tx, input.projectId)
    if (volume.ownerKind === 'registry') {
      refuseField(
        'volumeId',
        'contains the images of a registry. Call registry.enableSelfHostedRegistry to use this volume again',
      )
    }
    const kind = kindNamed(volume.kind)
    if (input.appName !== '' && (await isNameTaken(tx, input.appName))) refuseName(input.appName)
    const appName = input.appName || (await makeAppName(tx, input.name, kind))
    const { name, projectId, description = null } = input
    const requestedImage = await imageFrom(tx, context.config.imageAliases, input.dockerImage, input.registryId)
    const dockerImage = requestedImage ?? volume.dockerImage
    const database: DatabaseTable = { ...rowOn(context, volume), name, appName, projectId, description, dockerImage }
    await checkVersion(tx, database, kind, context.config.imageAliases)
    await tx.insertInto('database').values(database).execute()
    await volumes.attach(tx, volume.id, { ownerKind: 'database', ownerId: database.id, appName })
    const row = { ...database, volumeName: volume.name, nodeName: volume.nodeName, volumeFault: volume.fault }
    return toRecord({ ...context, db: context.tx }, row, kind, false)
  },
})

export const remove = command({
  name: 'volume.remove',
  summary: 'Delete a kept volume and its data permanently',
  access: 'user:admin',
  input: z.object({ volumeId: idOf('kept volume') }),
  output: Volume,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run({ tx, now, newId, wake, follow }, { volumeId }) {
    const volume = await findKept(tx, volumeId)
    const deploymentId = newId()
    await volumes.beginRemoval(tx, volume, deploymentId, now())
    wake('volumes')
    follow(deploymentId)
    return toVolume(volume)
  },
})

async function findKept(db: Reader, volumeId: string): Promise<VolumeTable> {
  const volume = await db.selectFrom('volume').selectAll().where('id', '=', volumeId).executeTakeFirst()
  if (volume === undefined) refuse('NOT_FOUND', 'No volume with this id. volume.all lists every volume')
  if (volume.state === 'attached') {
    refuse('CONFLICT', `The volume is in use by ${volume.appName}. Remove that service first`)
  }
  if (volume.state === 'removing') refuse('CONFLICT', 'The volume is being removed')
  return volume
}

/** The columns of a new service on a kept volume that the input does not set. The credentials come from the volume. */
function rowOn({ newId, now, vault }: CommandContext, volume: VolumeTable) {
  const id = newId()
  const sealed = sealSettings(vault, 'database', id, settingsOfVolume(vault, volume), kindNamed(volume.kind).secrets)
  return { ...initialState, ...sealed, id, kind: volume.kind, volumeId: volume.id, createdAt: now().toISOString() }
}

function toVolume({ id, nodeName, serverVersion, ownerKind, ownerId, ...rest }: VolumeTable) {
  const databaseId = ownerKind === 'database' ? ownerId : null
  return { volumeId: id, node: nodeName, version: serverVersion, databaseId, ...rest }
}
