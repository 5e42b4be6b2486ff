/**
 * Stores what was decided about the differences of a restored state, and begins the deployments that do it. Changes
 * records only; the loops do the work.
 */
import { begin } from '../../databases/begin-work.ts'
import { forgetExpiredObjects } from '../../backups/retention/expired.ts'
import { forgetDatabase, recordAsStopped, takeWhatRuns } from '../../databases/queries.ts'
import { mountPath } from '../../databases/reconcile/volume-placement.ts'
import { openTarget, sealSettings, sealTarget, targetOf } from '../../databases/targets.ts'
import { finish } from '../../deployments/queries.ts'
import { kindNamed } from '../../kinds/index.ts'
import { someProject } from '../../projects/queries.ts'
import { setMeta } from '../../store/meta.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'
import { placementOf } from '../../databases/service-placement.ts'
import { recordAdopted } from './adopt-unknown.ts'
import { type Deciding, interrupted, nodeOf, volumeIdIn } from './deciding.ts'
import type { FoundServer } from './differences.ts'
import type { Decided } from './table.ts'
import { leftoversKey } from './leftovers.ts'

/**
 * Stores the decisions. Forgotten records go first, because their names and volumes can be those of adopted databases.
 * Services without a record go last, because an adopted database can leave its volume to one of them.
 *
 * @returns the deployments that do what was decided, by the id of their subject
 */
export async function applyDecisions(
  context: Deciding,
  decided: readonly Decided[],
): Promise<ReadonlyMap<string, string>> {
  const order = ({ decision, difference }: Decided) =>
    decision === 'forget' ? 0 : difference.subjectKind === 'service' ? 2 : 1
  const deployments = new Map<string, string>()
  for (const it of decided.toSorted((a, b) => order(a) - order(b))) {
    await applyOne(context, it)
    const deploymentId = await followWork(context, it)
    if (deploymentId !== null) deployments.set(it.difference.subjectId, deploymentId)
  }
  const leftovers = decided
    .filter(({ decision }) => decision === 'remove')
    .map(({ difference }) => difference.subjectId)
  if (leftovers.length > 0) await setMeta(context.tx, leftoversKey, JSON.stringify(leftovers))
  return deployments
}

/** Begins the deployment that does what was decided, or follows the removal that goes on. Null if none is needed. */
async function followWork(context: Deciding, { difference, decision }: Decided): Promise<string | null> {
  const { subjectKind, subjectId } = difference
  if (subjectKind !== 'database' || !['create', 'start', 'finish'].includes(decision)) return null
  const row = await rowOf(context, subjectId)
  if (row.deploymentId !== null) context.follow(row.deploymentId)
  if (row.deploymentId !== null || row.goal !== 'up' || row.target === null) return row.deploymentId
  return (await begin({ ...context, now: () => context.at }, row, 'start', {})).deploymentId
}

async function applyOne(context: Deciding, { difference, decision }: Decided): Promise<void> {
  const { subjectKind, subjectId } = difference
  switch (decision) {
    case 'adopt':
      if (subjectKind === 'service') return recordAdopted(context, context.adopted.get(subjectId)!)
      return adopt(context, subjectId)
    case 'forget':
      return forget(context, subjectId)
    case 'stop':
      return recordAsStopped(context.tx, subjectId)
    case 'keep':
      return subjectKind === 'database' ? keep(context, subjectId) : forgetExpiredObjects(context.tx)
    case 'create':
    case 'start':
    case 'finish':
    case 'leave':
    case 'remove':
      // The record says it already. A deployment or a loop does the rest when the state is confirmed.
      return
  }
}

const rowOf = ({ tx }: Deciding, id: string): Promise<DatabaseTable> =>
  tx.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const serverOf = ({ facts }: Deciding, id: string): FoundServer | undefined =>
  facts.servers.find(({ databaseId, isTemporary }) => databaseId === id && !isTemporary)

/** Records the volume that the running service mounts as the volume of the database. */
async function adopt(context: Deciding, id: string): Promise<void> {
  const { tx, vault, at } = context
  const [row, server] = [await rowOf(context, id), serverOf(context, id)!]
  const before = await volumes.find(tx, row.volumeId)
  const volumeId = await attachVolume(context, row, before, server)
  if (before !== null && before.id !== volumeId) await volumes.keep(tx, before.id, at)
  const target = row.target ?? sealTarget(vault, 'target', id, targetOf(vault, row, 0))
  await takeWhatRuns(tx, id, { goal: goalFor(context, server), volumeId, target }, interrupted)
}

/** A service that a person stopped stays stopped. A service without a usable node was fenced: it should run. */
function goalFor({ facts }: Deciding, { replicas, nodeId }: FoundServer): 'up' | 'stopped' {
  return replicas === 0 && facts.nodes.get(nodeId ?? '')?.isReady === true ? 'stopped' : 'up'
}

/** Attaches the volume of the running service to the database. Returns the id of the volume. */
async function attachVolume(
  context: Deciding,
  row: DatabaseTable,
  before: VolumeTable | null,
  server: FoundServer,
): Promise<string> {
  const { tx } = context
  const { volume, nodeId, generation } = placementOf(server, before?.name)!
  // With another generation than that of the service, Berth would replace the service.
  const place = { ...nodeOf(context, nodeId ?? before?.nodeId ?? ''), generation }
  const known = await volumes.findNamed(tx, volume)
  if (known === null) return insertVolume(context, row, before, { name: volume, ...place })
  await volumes.attach(tx, known.id, { ownerKind: 'database', ownerId: row.id, appName: row.appName })
  await volumes.recordPlace(tx, known.id, place)
  return known.id
}

type RecordedNode = Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress' | 'generation'>

/** Records a volume that was created after the backup, with the credentials and the version that the state knows. */
async function insertVolume(
  context: Deciding,
  row: DatabaseTable,
  before: VolumeTable | null,
  { name, ...place }: RecordedNode & { name: string },
): Promise<string> {
  const { tx, vault, at, newId, config } = context
  const id = volumeIdIn(name) ?? newId()
  const target = openTarget(vault, 'target', row) ?? targetOf(vault, row, 0)
  const kind = kindNamed(row.kind)
  const columns = {
    kind: row.kind,
    ownerKind: 'database' as const,
    ownerId: row.id,
    dataPath: before?.dataPath ?? mountPath({ config }, target, kind),
    ...place,
    appName: row.appName,
    dockerImage: row.dockerImage,
    serverVersion: before?.serverVersion ?? null,
    ...sealSettings(vault, 'volume', id, target.settings, kind.secrets),
  }
  await volumes.insert(tx, { ...volumes.newVolume(id, columns, at), name })
  return id
}

/** Deletes the record. What runs stays, and the volume is kept unless it is gone. */
async function forget(context: Deciding, id: string): Promise<void> {
  const { tx, backups, at, facts } = context
  const row = await rowOf(context, id)
  const volume = await volumes.find(tx, row.volumeId)
  if (row.deploymentId !== null) await finish(tx, row.deploymentId, 'error', interrupted, at)
  await backups.disableBackups(tx, id)
  await forgetDatabase(tx, id)
  if (volume === null) return
  if (facts.uses.get(volume.name)?.exists === false) await volumes.drop(tx, volume.id)
  else await volumes.keep(tx, volume.id, at)
}

/** Takes a removal back. The record returns, in the oldest project. Its backup schedules stay disabled. */
async function keep(context: Deciding, id: string): Promise<void> {
  const { tx, newId, at } = context
  const row = await rowOf(context, id)
  if (row.deploymentId !== null) await finish(tx, row.deploymentId, 'error', interrupted, at)
  const projectId = row.projectId ?? (await someProject(tx, 'Kept databases', newId, at))
  const server = serverOf(context, id)
  const goal = row.target === null ? 'none' : server !== undefined && server.replicas > 0 ? 'up' : 'stopped'
  await takeWhatRuns(tx, id, { goal, volumeId: row.volumeId, projectId }, interrupted)
}
