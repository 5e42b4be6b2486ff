/**
 * Compares a restored state with what runs, and proposes what to do about each difference. Proposals destroy nothing:
 * what runs goes on, and data stays. Pure.
 */
import type { Goal } from '../../store/schema.ts'
import type { DataState, Decision, Difference, DifferenceReason } from './table.ts'

export interface RecordedDatabase {
  id: string
  appName: string
  goal: Goal
  removeData: 0 | 1
  /** `hasData`: a server has used the volume before. */
  volume: { name: string; nodeId: string; nodeName: string; hasData: boolean } | null
}

/** A service that belongs to a database of this installation, and mounts a volume. */
export interface FoundServer {
  service: string
  databaseId: string
  kind: string
  /** A temporary server of a move. */
  isTemporary: boolean
  volume: string
  nodeId: string
  image: string
  replicas: number
}

export interface Facts {
  databases: readonly RecordedDatabase[]
  servers: readonly FoundServer[]
  /** The names of all services in the swarm, in lower case. */
  serviceNames: ReadonlySet<string>
  nodes: ReadonlyMap<string, { hostname: string; address: string; isReady: boolean }>
  /** By the name of the volume. Only volumes that `askedVolumes` returns. */
  presence: ReadonlyMap<string, Exclude<DataState, 'none'>>
  /** The number of expired objects that were not deleted yet. */
  expiring: number
}

/** The volumes whose existence matters: those of databases without a server. */
export function askedVolumes({ databases, servers }: Pick<Facts, 'databases' | 'servers'>) {
  const served = new Set(servers.filter(({ isTemporary }) => !isTemporary).map(({ databaseId }) => databaseId))
  return databases.filter(({ id }) => !served.has(id)).flatMap(({ volume }) => volume ?? [])
}

/** Returns an entry for each database of the state, and one for each service that the state does not know. */
export function differencesOf(facts: Facts): Difference[] {
  const recorded = new Set(facts.databases.map(({ id }) => id))
  return [
    ...facts.databases.map((database) => databaseDifference(facts, database)),
    ...facts.servers.flatMap((server) => serviceDifference(facts, server, recorded)),
    ...expiryDifference(facts),
  ]
}

function databaseDifference(facts: Facts, database: RecordedDatabase): Difference {
  const reason = databaseReason(facts, database)
  return { subjectKind: 'database', subjectId: database.id, name: database.appName, reason, ...choicesFor(reason) }
}

function databaseReason(facts: Facts, database: RecordedDatabase): DifferenceReason {
  const { id, goal, volume } = database
  const server = facts.servers.find(({ databaseId, isTemporary }) => databaseId === id && !isTemporary)
  if (goal === 'gone') return removalReason(facts, database, server)
  if (server === undefined) return missingReason(facts, database)
  const { service, volume: found, nodeId } = server
  const node = nodeNamed(facts, nodeId)
  if (goal === 'none') return { reason: 'StartedSince', service, volume: found, node }
  if (volume?.name !== found || volume.nodeId !== nodeId) {
    const recorded = { recordedVolume: volume?.name ?? null, recordedNode: volume?.nodeName ?? null }
    return { reason: 'OnOtherVolume', service, volume: found, node, ...recorded }
  }
  if (goal === 'up' && server.replicas === 0) {
    return { reason: 'StoppedSince', service, node, isNodeReady: isReadyFor(facts, server) }
  }
  if (goal === 'stopped' && server.replicas > 0) return { reason: 'StartedSince', service, volume: found, node }
  return { reason: 'AsRecorded' }
}

/** False also while a temporary server of a move has the data: the database was stopped by the move, not by a person. */
function isReadyFor({ nodes, servers }: Facts, { nodeId, databaseId }: FoundServer): boolean {
  const isMoving = servers.some((other) => other.isTemporary && other.databaseId === databaseId)
  return nodes.get(nodeId)?.isReady === true && !isMoving
}

function missingReason(facts: Facts, database: RecordedDatabase): DifferenceReason {
  const { appName, goal, volume } = database
  const data = dataOf(facts, volume)
  const usedBy = userOf(facts, database)
  if (goal === 'none' && usedBy === null) return { reason: 'AsRecorded' }
  const isTaken = facts.serviceNames.has(appName.toLowerCase())
  if (goal === 'stopped' && data !== 'missing' && usedBy === null && !isTaken) return { reason: 'AsRecorded' }
  return { reason: 'RemovedSince', data, volume: volume?.name ?? null, usedBy, nameTaken: isTaken }
}

function removalReason(facts: Facts, database: RecordedDatabase, server: FoundServer | undefined): DifferenceReason {
  return {
    reason: 'InRemoval',
    removesData: database.removeData === 1,
    data: dataOf(facts, database.volume),
    service: server?.service ?? null,
    usedBy: userOf(facts, database),
  }
}

function dataOf({ presence }: Facts, volume: RecordedDatabase['volume']): DataState {
  if (volume === null) return 'none'
  const state = presence.get(volume.name) ?? 'present'
  return state === 'missing' && !volume.hasData ? 'none' : state
}

/** Another service that mounts the volume of the database; null if there is none. */
function userOf({ servers }: Facts, { id, volume }: RecordedDatabase): string | null {
  const user = servers.find((server) => server.databaseId !== id && server.volume === volume?.name)
  return user?.service ?? null
}

const nodeNamed = ({ nodes }: Facts, nodeId: string) => nodes.get(nodeId)?.hostname ?? nodeId

function serviceDifference(facts: Facts, server: FoundServer, recorded: ReadonlySet<string>): Difference[] {
  const { service, kind, volume, nodeId, image, isTemporary } = server
  if (recorded.has(server.databaseId) && !isTemporary) return []
  const node = nodeNamed(facts, nodeId)
  const reason: DifferenceReason = isTemporary
    ? { reason: 'LeftFromMove', service, volume, node }
    : { reason: 'Unknown', service, kind, volume, node, image }
  return [{ subjectKind: 'service', subjectId: service, name: service, reason, ...choicesFor(reason) }]
}

function expiryDifference({ expiring }: Facts): Difference[] {
  if (expiring === 0) return []
  const reason: DifferenceReason = { reason: 'Expiring', objects: expiring }
  return [
    { subjectKind: 'installation', subjectId: 'expiredObjects', name: 'expired dumps', reason, ...choicesFor(reason) },
  ]
}

type Choices = Pick<Difference, 'decisions' | 'proposal'>

/** What can be decided about a difference. The first decision is the proposal. */
function choicesFor(reason: DifferenceReason): Choices {
  const decisions = decisionsFor(reason)
  return { decisions, proposal: decisions[0] ?? null }
}

function decisionsFor(reason: DifferenceReason): Decision[] {
  switch (reason.reason) {
    case 'AsRecorded':
      return []
    case 'OnOtherVolume':
    case 'StartedSince':
      return ['adopt', 'forget']
    case 'StoppedSince':
      return reason.isNodeReady ? ['stop', 'start'] : ['start', 'stop']
    case 'RemovedSince':
      if (reason.usedBy !== null || reason.nameTaken) return ['forget']
      return reason.data === 'missing' ? ['forget', 'create'] : ['create', 'forget']
    case 'InRemoval':
      return removalDecisions(reason)
    case 'Unknown':
      return ['leave']
    case 'LeftFromMove':
      return ['remove', 'leave']
    case 'Expiring':
      return ['keep', 'finish']
  }
}

/** A removal cannot go on if another service uses the volume: it could delete the data of that service. */
function removalDecisions(reason: Extract<DifferenceReason, { reason: 'InRemoval' }>): Decision[] {
  if (reason.usedBy !== null) return ['forget']
  const destroys =
    reason.service !== null || (reason.removesData && reason.data !== 'missing' && reason.data !== 'none')
  return destroys ? ['keep', 'finish'] : ['finish', 'keep']
}

/** Whether there is anything to decide. */
export const hasDifferences = (differences: readonly Difference[]): boolean =>
  differences.some(({ decisions }) => decisions.length > 0)
