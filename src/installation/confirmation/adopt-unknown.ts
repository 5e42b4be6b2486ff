/** Records a database for a service that a restored state does not know. Does not change what runs. */
import { deployedNames, pick } from '../../databases/columns.ts'
import { isNameTaken } from '../../databases/operations/changes.ts'
import { initialState } from '../../databases/operations/databases.ts'
import { insertRunning, takeWhatRuns } from '../../databases/queries.ts'
import { placementOf } from '../../databases/service-placement.ts'
import { sealStartSecrets } from '../../databases/login/start-secrets.ts'
import { sealEnv, sealSettings, sealTarget } from '../../databases/targets.ts'
import { refuseField } from '../../errors.ts'
import { portOwnerOf } from '../../ports/port-owners.ts'
import { someProject } from '../../projects/queries.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'
import type { Adopted } from './adoption.ts'
import { type Deciding, interrupted, nodeOf, volumeIdIn } from './deciding.ts'

/** Inserts the database and its volume. Refuses a name, a port or a volume that another record has. */
export async function recordAdopted(context: Deciding, adopted: Adopted): Promise<void> {
  const { tx, vault } = context
  const { databaseId: id } = adopted.server
  await refuseTaken(context, adopted)
  await insertRunning(tx, rowOf(context, adopted, await projectOf(context, adopted)))
  const volumeId = await recordVolume(context, adopted)
  const target = sealTarget(vault, 'target', id, adopted.target)
  await takeWhatRuns(tx, id, { goal: 'up', volumeId, target }, interrupted)
}

async function refuseTaken({ tx, config }: Deciding, { server, target: { externalPort } }: Adopted): Promise<void> {
  const { name, databaseId } = server
  const recorded = await tx.selectFrom('database').select('appName').where('id', '=', databaseId).executeTakeFirst()
  if (recorded !== undefined) refuseAdoption(server, `Its database is recorded already, as ${recorded.appName}`)
  if (await isNameTaken(tx, name)) refuseAdoption(server, `Another database or service has the name ${name}`)
  if (externalPort === null) return
  const owner = await portOwnerOf(tx, config, { port: externalPort, protocol: 'tcp', databaseId })
  if (owner !== null) refuseAdoption(server, `Its external port ${externalPort} is ${owner}`)
}

function refuseAdoption({ name }: Adopted['server'], message: string): never {
  refuseField(`adoptions.${name}`, `${message}. Forget the other record, or leave this service`, 'CONFLICT')
}

async function projectOf({ tx, newId, at }: Deciding, { projectId, server }: Adopted): Promise<string> {
  if (projectId === null) return someProject(tx, 'Adopted databases', newId, at)
  const project = await tx.selectFrom('project').select('id').where('id', '=', projectId).executeTakeFirst()
  if (project !== undefined) return project.id
  refuseField(`adoptions.${server.name}.projectId`, 'No project with this id', 'NOT_FOUND')
}

function rowOf({ vault, at }: Deciding, adopted: Adopted, projectId: string): DatabaseTable {
  const { server, kind, name, settings, target } = adopted
  const id = server.databaseId
  return {
    ...initialState,
    ...pick(target, deployedNames),
    // The login has proven the target. A deploy that fails goes back to it.
    lastGood: sealTarget(vault, 'lastGood', id, target),
    ...sealSettings(vault, 'database', id, settings, kind.secrets),
    ...{ id, name, projectId, kind: kind.name, appName: server.name },
    dockerImage: target.dockerImage,
    env: sealEnv(vault, id, target.env),
    createdAt: at.toISOString(),
  }
}

/**
 * Records the volume with the credentials that the server accepts. The mark of its data is read at the next login,
 * because a mark in the state can be that of earlier data. Returns the id of the volume.
 */
async function recordVolume(context: Deciding, adopted: Adopted): Promise<string> {
  const { tx, vault, newId, at } = context
  const { server, kind, settings, target, startSecrets, dataPath, version } = adopted
  const { volume: name, nodeId, generation } = placementOf(server)!
  const owner = { ownerKind: 'database' as const, ownerId: server.databaseId, appName: server.name }
  const place = { ...nodeOf(context, nodeId ?? ''), generation }
  const known = await volumes.findNamed(tx, name)
  if (known !== null && known.ownerId !== null) refuseAdoption(server, `Its volume ${name} belongs to ${known.appName}`)
  const id = known?.id ?? volumeIdIn(name) ?? newId()
  const sealed = {
    ...sealSettings(vault, 'volume', id, settings, kind.secrets),
    startSecrets: sealStartSecrets(vault, id, startSecrets),
  }
  const image = { dockerImage: target.dockerImage, serverVersion: version, dataPath }
  if (known === null) {
    const columns = { kind: kind.name, ...owner, ...place, ...image, ...sealed }
    await volumes.insert(tx, { ...volumes.newVolume(id, columns, at), name })
    return id
  }
  await volumes.attach(tx, id, owner)
  await volumes.recordPlace(tx, id, place)
  await volumes.recordProof(tx, id, { ...sealed, ...image, appName: server.name, identity: null })
  return id
}
