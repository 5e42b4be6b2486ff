/** Operations on volumes: list them, restore a kept volume into a new service, delete a kept volume. */
import { z } from 'zod'
import { command, type CommandContext, query } from '../../api/contract.ts'
import { AppName, Image } from '../columns.ts'
import { refuse, refuseField } from '../../errors.ts'
import { kindNamed, kinds } from '../../kinds/index.ts'
import type { DatabaseTable, Reader, VolumeTable } from '../../store/schema.ts'
import { sealSettings, settingsOfVolume } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import { checkProject, isNameTaken, makeAppName, refuseName } from './changes.ts'
import { record } from './fields.ts'
import { FromRegistry, imageFrom } from './images.ts'
import { toRecord } from './records.ts'
import { checkVersion } from '../begin-work.ts'
import { initialState } from './databases.ts'
import { cutPage, Description, Id, Name, page } from '../../api/fields.ts'

const Volume = z.object({
  volumeId: z.string(),
  name: z.string().describe("The engine's name for it"),
  kind: z.string(),
  version: z.string().nullable().describe('Of the server that wrote it: 15, 8.4'),
  dataPath: z.string(),
  node: z.string(),
  state: z.enum(['attached', 'kept', 'removing']),
  databaseId: z
    .string()
    .nullable()
    .describe('The service that it belongs to; null when it is kept, and for the registry that Berth runs'),
  appName: z.string().describe('The service that it belongs to, or belonged to'),
  dockerImage: z.string(),
  createdAt: z.string(),
  keptAt: z.string().nullable(),
})

export const all = query({
  name: 'volume.all',
  summary: 'List the volumes, those in use and those kept of removed services, oldest first',
  access: 'user:read',
  input: z.object(page),
  output: z.array(Volume),
  async run({ db, more }, { limit, cursor }) {
    let rows = db.selectFrom('volume').selectAll().orderBy('id')
    if (cursor !== undefined) rows = rows.where('id', '>', cursor)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, more).map(toVolume)
  },
})

export const restore = command({
  name: 'volume.restore',
  summary: 'Make a new service on a kept volume, with the credentials that hold inside it; deploy starts it',
  access: 'user:admin',
  input: z.object({
    volumeId: Id,
    name: Name,
    appName: AppName.default(''),
    projectId: Id,
    description: Description,
    dockerImage: Image.optional().describe('Of a version that opens its files; the image it had without'),
    registryId: FromRegistry,
  }),
  output: z.union(kinds.map(record)),
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  async run(context, input) {
    const { tx } = context
    const volume = await findKept(tx, input.volumeId)
    await checkProject(tx, input.projectId)
    if (volume.ownerKind === 'registry') {
      refuseField('volumeId', 'holds the images of a registry: registry.enableSelfHostedRegistry takes them up again')
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
  summary: 'Delete a kept volume and all that is in it, for good',
  access: 'user:admin',
  input: z.object({ volumeId: Id }),
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
  if (volume === undefined) refuse('NOT_FOUND', 'There is no such volume. volume.all lists those there are')
  if (volume.state === 'attached') {
    refuse('CONFLICT', `The volume is in use by ${volume.appName}. Remove that service first`)
  }
  if (volume.state === 'removing') refuse('CONFLICT', 'The volume is being removed')
  return volume
}

/** The row of a new service on an existing volume, with the credentials that the volume was last used with. */
function rowOn({ newId, now, vault }: CommandContext, volume: VolumeTable) {
  const id = newId()
  const sealed = sealSettings(vault, 'database', id, settingsOfVolume(vault, volume), kindNamed(volume.kind).secrets)
  return { ...initialState, ...sealed, id, kind: volume.kind, volumeId: volume.id, createdAt: now().toISOString() }
}

function toVolume({ id, nodeName, serverVersion, ownerKind, ownerId, ...rest }: VolumeTable) {
  const databaseId = ownerKind === 'database' ? ownerId : null
  return { volumeId: id, node: nodeName, version: serverVersion, databaseId, ...rest }
}
