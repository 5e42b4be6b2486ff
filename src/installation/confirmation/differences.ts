/**
 * Compares a restored state with what runs, and proposes what to do about each difference. Proposals destroy nothing:
 * what runs goes on, and data stays. Pure.
 */
import { elsewhereReason, newerPlacement, placementDifference, placementOf } from '../../databases/service-placement.ts'
import type { VolumeUseReason } from '../../deployments/reason.ts'
import type { FoundService, NamedService, VolumeUse } from '../../engine/engine.ts'
import { databaseLabel, isOwnObject, kindLabel, roleLabel } from '../../engine/labels.ts'
import { ownershipOf } from '../../engine/plan.ts'
import { findKind } from '../../kinds/index.ts'
import type { Goal } from '../../store/schema.ts'
import { volumeUseReason, volumeUsers } from '../../volumes/users.ts'
import type { DataState, Decision, Difference, DifferenceReason } from './table.ts'

export interface RecordedDatabase {
  id: string
  appName: string
  goal: Goal
  removeData: 0 | 1
  /** `hasData`: a server has used the volume before. */
  volume: { name: string; nodeId: string; generation: number; hasData: boolean } | null
}

/** A service that belongs to a database of this installation, and mounts a volume. */
export interface FoundServer extends Pick<NamedService, 'name' | 'labels' | 'volumes' | 'nodeId' | 'replicas'> {
  image: string
  databaseId: string
  /** A temporary server of a move. */
  isTemporary: boolean
}

/** The service as the server of a database. Empty if it belongs to no database of this installation. */
export function serverIn(service: FoundService, installationId: string): FoundServer[] {
  const { name, labels, volumes, nodeId, image, replicas } = service
  const [role, databaseId] = [labels[roleLabel], labels[databaseLabel]]
  if (!isOwnObject(labels, installationId) || (role !== 'database' && role !== 'move')) return []
  if (databaseId === undefined || volumes.length === 0) return []
  return [{ name, labels, volumes, nodeId, image, replicas, databaseId, isTemporary: role === 'move' }]
}

export interface Facts {
  installationId: string
  databases: readonly RecordedDatabase[]
  servers: readonly FoundServer[]
  /** All services in the swarm. */
  services: readonly NamedService[]
  nodes: ReadonlyMap<string, { hostname: string; address: string; isReady: boolean }>
  /** By the name of the volume. Only volumes that `askedVolumes` returns. Null: the node does not answer. */
  uses: ReadonlyMap<string, VolumeUse | null>
  /** The number of expired objects that were not deleted yet. */
  expiring: number
}

/** The volumes whose existence and users matter: those of databases without a server or in removal. */
export function askedVolumes({ databases, servers }: Pick<Facts, 'databases' | 'servers'>) {
  const served = new Set(servers.filter(({ isTemporary }) => !isTemporary).map(({ databaseId }) => databaseId))
  return databases.filter(({ id, goal }) => goal === 'gone' || !served.has(id)).flatMap(({ volume }) => volume ?? [])
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
  const [service, where] = [server.name, whereOf(facts, server)]
  if (goal === 'none') return { reason: 'StartedSince', service, ...where }
  const difference = deviatingPlacement(volume, server)
  if (difference !== null) {
    return { ...elsewhereReason(service, difference, nodesOf(facts)), reason: 'OnOtherVolume' }
  }
  if (goal === 'up' && server.replicas === 0) {
    return { reason: 'StoppedSince', service, node: where.node, isNodeReady: isReadyFor(facts, server) }
  }
  if (goal === 'stopped' && server.replicas > 0) return { reason: 'StartedSince', service, ...where }
  return { reason: 'AsRecorded' }
}

/** A stopped service that is older than the record is as Berth leaves it in the middle of a move: the record counts. */
const deviatingPlacement = (volume: RecordedDatabase['volume'], server: FoundServer) =>
  server.replicas > 0 ? placementDifference(volume, server) : newerPlacement(volume, server)

/** False also while a temporary server of a move has the data: the database was stopped by the move, not by a person. */
function isReadyFor({ nodes, servers }: Facts, { nodeId, databaseId }: FoundServer): boolean {
  const isMoving = servers.some((other) => other.isTemporary && other.databaseId === databaseId)
  return nodes.get(nodeId ?? '')?.isReady === true && !isMoving
}

function missingReason(facts: Facts, database: RecordedDatabase): DifferenceReason {
  const { appName, goal, volume } = database
  const data = dataOf(facts, volume)
  const usedBy = useReason(facts, database)
  if (goal === 'none' && usedBy === null) return { reason: 'AsRecorded' }
  const isTaken = isNameTaken(facts, appName)
  if (goal === 'stopped' && data !== 'missing' && usedBy === null && !isTaken) return { reason: 'AsRecorded' }
  return { reason: 'RemovedSince', data, usedBy, nameTaken: isTaken }
}

const isNameTaken = ({ services }: Facts, appName: string): boolean =>
  services.some(({ name }) => name.toLowerCase() === appName.toLowerCase())

function removalReason(facts: Facts, database: RecordedDatabase, server: FoundServer | undefined): DifferenceReason {
  return {
    reason: 'InRemoval',
    removesData: database.removeData === 1,
    data: dataOf(facts, database.volume),
    service: server?.name ?? null,
    usedBy: useReason(facts, database),
    nameTaken: server === undefined && isNameTaken(facts, database.appName),
  }
}

function dataOf({ uses }: Facts, volume: RecordedDatabase['volume']): DataState {
  if (volume === null) return 'none'
  const use = uses.get(volume.name)
  if (use === null) return 'unknown'
  if (use === undefined || use.exists) return 'present'
  return volume.hasData ? 'missing' : 'none'
}

/** Who else uses the volume of the database; null: nobody. If its node does not answer, only services are known. */
function useReason({ services, uses, installationId }: Facts, database: RecordedDatabase): VolumeUseReason | null {
  const { id: databaseId, appName, volume } = database
  if (volume === null) return null
  const { name, nodeId } = volume
  const onNode = services.filter((service) => service.nodeId === null || service.nodeId === nodeId)
  const mounting = onNode.filter(({ volumes }) => volumes.includes(name))
  const use = uses.get(name) ?? { services: mounting, containers: [] }
  const others = use.services.filter((service) => ownershipOf(service, { installationId, databaseId }) !== 'own')
  const users = volumeUsers({ ...use, services: others }, null)
  return volumeUseReason(name, appName, users)
}

const nodesOf = ({ nodes }: Facts) => [...nodes].map(([id, { hostname }]) => ({ id, hostname }))

function whereOf({ nodes }: Facts, server: FoundServer): { volume: string; node: string } {
  const { volume, nodeId } = placementOf(server)!
  return { volume, node: nodeId === null ? 'any node' : (nodes.get(nodeId)?.hostname ?? nodeId) }
}

function serviceDifference(facts: Facts, server: FoundServer, recorded: ReadonlySet<string>): Difference[] {
  const { name: service, labels, image, isTemporary } = server
  if (recorded.has(server.databaseId) && !isTemporary) return []
  const where = whereOf(facts, server)
  const reason: DifferenceReason = isTemporary
    ? { reason: 'LeftFromMove', service, ...where }
    : { reason: 'Unknown', service, kind: labels[kindLabel] ?? '', ...where, image, isRunning: server.replicas > 0 }
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
      // A server that does not run cannot accept a login.
      return reason.isRunning && findKind(reason.kind) !== undefined ? ['leave', 'adopt'] : ['leave']
    case 'LeftFromMove':
      return ['remove', 'leave']
    case 'Expiring':
      return ['keep', 'finish']
  }
}

/**
 * A removal cannot go on if another service uses the volume: it could delete the data of that service. The record cannot
 * stay if another service has its name.
 */
function removalDecisions(reason: Extract<DifferenceReason, { reason: 'InRemoval' }>): Decision[] {
  if (reason.usedBy !== null || reason.nameTaken) return ['forget']
  const destroys =
    reason.service !== null || (reason.removesData && reason.data !== 'missing' && reason.data !== 'none')
  return destroys ? ['keep', 'finish'] : ['finish', 'keep']
}

/** Whether there is anything to decide. */
export const hasDifferences = (differences: readonly Difference[]): boolean =>
  differences.some(({ decisions }) => decisions.length > 0)
