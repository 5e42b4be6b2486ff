/** Reads the work of Berth in progress on a node: runs of backups, moves, and tools for databases. */
import type { NodeWork } from '../../deployments/reason.ts'
import type { AttachedJob } from '../../engine/job.ts'
import type { Reader } from '../../store/schema.ts'

/** Work on a node, with the id of the run or deployment; for a tool, the id of its database. */
interface FoundWork extends NodeWork {
  id: string
}

const runTypes = { dump: 'dump', verify: 'drill', restore: 'restore' } as const

/**
 * Returns the work on the node, without duplicates.
 *
 * @param jobs the jobs of this process on the node
 */
export async function workOn(db: Reader, nodeId: string, jobs: readonly AttachedJob[]): Promise<NodeWork[]> {
  const recordIds = jobs.map(({ recordId }) => recordId)
  const found = [
    ...(await runsOn(db, nodeId, recordIds)),
    ...(await movesOn(db, nodeId)),
    ...(await toolsOf(db, recordIds)),
  ]
  return [...new Map(found.map((work) => [work.id, work])).values()].map(({ type, name }) => ({ type, name }))
}

/** The running runs whose database is on the node, and those with a job on the node, such as drills. */
async function runsOn(db: Reader, nodeId: string, recordIds: string[]): Promise<FoundWork[]> {
  const rows = await db
    .selectFrom('backupRun as run')
    .innerJoin('database', 'database.id', 'run.databaseId')
    .leftJoin('volume', 'volume.id', 'database.volumeId')
    .select(['run.id', 'run.action', 'database.appName'])
    .where('run.finishedAt', 'is', null)
    .where('run.status', '=', 'running')
    .where((eb) => eb.or([eb('volume.nodeId', '=', nodeId), eb('run.id', 'in', recordIds)]))
    .orderBy('run.id')
    .execute()
  return rows.map(({ id, action, appName }) => ({ id, type: runTypes[action], name: appName }))
}

/** The moves from or to the node. */
async function movesOn(db: Reader, nodeId: string): Promise<FoundWork[]> {
  const rows = await db
    .selectFrom('move')
    .innerJoin('database', 'database.id', 'move.databaseId')
    .innerJoin('volume', 'volume.id', 'database.volumeId')
    .select(['move.deploymentId', 'database.appName'])
    .where((eb) => eb.or([eb('volume.nodeId', '=', nodeId), eb('move.nodeId', '=', nodeId)]))
    .orderBy('move.deploymentId')
    .execute()
  return rows.map(({ deploymentId: id, appName: name }) => ({ id, type: 'move', name }))
}

async function toolsOf(db: Reader, recordIds: string[]): Promise<FoundWork[]> {
  const rows = await db
    .selectFrom('database')
    .select(['id', 'appName'])
    .where('id', 'in', recordIds)
    .orderBy('id')
    .execute()
  return rows.map(({ id, appName: name }) => ({ id, type: 'tool', name }))
}
