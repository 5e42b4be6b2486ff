/**
 * The loop of the ports to the engines of other nodes. Each turn compares the ports with the nodes of the swarm,
 * creates, changes or removes their services, and checks by a call whether the engines can be reached. A service
 * changes only while no work uses the node's engine, because a change ends all connections. The loop is idempotent.
 */
import { trustBundle } from '../../authority/issue.ts'
import type { FoundNode, NamedService } from '../../engine/engine.ts'
import { isOwnObject, roleLabel } from '../../engine/labels.ts'
import type { Loop, Turn } from '../../lib/async/loop.ts'
import type { Runtime } from '../../runtime.ts'
import { ensureAccess, ensureEngine, signingGeneration } from './certificates.ts'
import { acceptedFingerprints, canStart, isDescribed, otherNodes } from './plan.ts'
import { type Contacts, contactsOf, observeEngine } from './observe.ts'
import { deleteEngine, readAccess, readEngines } from './queries.ts'
import { isAuthorityRotating, runningRotation, stepAuthority, stepRotation } from './rotation.ts'
import { type Ports, stepService } from './service.ts'
import { engineRole, engineServiceName } from './spec.ts'

export function enginesLoop(runtime: Runtime): Loop<'engines'> {
  const contacts = contactsOf()
  let hasCleanedUp = false
  return {
    name: 'engines',
    periodMs: 5000,
    minGapMs: 1000,
    againMs: 1000,
    async turn() {
      await runtime.ensureEngine()
      const nodes = await runtime.engine.nodes()
      const own = nodes.find(({ local }) => local)
      if (own === undefined) return 'idle'
      if (!hasCleanedUp) await removeLeftovers(runtime, nodes)
      hasCleanedUp = true
      await removeDeparted(runtime, nodes)
      return stepPorts(runtime, contacts, own, otherNodes(nodes))
    },
  }
}

async function stepPorts(runtime: Runtime, contacts: Contacts, own: FoundNode, nodes: FoundNode[]): Promise<Turn> {
  const { db, engine } = runtime
  const isRotating = (await runningRotation(db)) !== null || (await isAuthorityRotating(db))
  if (nodes.length === 0 && !isRotating) return 'idle'
  const signing = await signingGeneration(db)
  if (nodes.length > 0 || (await readAccess(db)).length > 0) await ensureAccess(runtime, signing)
  const before = await readEngines(db)
  for (const node of nodes) {
    const row = before.get(node.id)
    if (isDescribed(node) && (row !== undefined || canStart(node))) {
      await ensureEngine(runtime, node, row, signing)
    }
  }
  const rows = await readEngines(db)
  const services = rows.size === 0 ? [] : await engine.servicesNamed([...rows.keys()].map(engineServiceName))
  const ports = await portsOf(runtime, own, services)
  const withRows = nodes.flatMap((node) => ({ node, row: rows.get(node.id) }))
  await Promise.all(
    withRows.map(async ({ node, row }) => {
      if (row === undefined) return
      await observeEngine(runtime, contacts, own, node, row, await stepService(runtime, ports, node, row))
    }),
  )
  const hasNextStep = [await stepRotation(runtime), await stepAuthority(runtime, ports)].includes(true)
  const isStarting = [...(await readEngines(db)).values()].some(({ state }) => state === 'starting')
  return hasNextStep || isStarting ? 'again' : 'idle'
}

async function portsOf({ db, config }: Runtime, own: FoundNode, services: NamedService[]): Promise<Ports> {
  const access = await readAccess(db)
  const ownNetwork = { address: own.address, prefix: own.address.includes(':') ? 128 : 32 }
  return {
    services,
    access,
    fingerprints: acceptedFingerprints(access),
    trustBundle: await trustBundle(db, 'engines'),
    sources: config.engineSources ?? [ownNetwork],
  }
}

/** Removes the ports of nodes that left the swarm, or whose engine Berth calls directly now. */
async function removeDeparted({ db, engine, transact, log }: Runtime, nodes: FoundNode[]): Promise<void> {
  const present = new Set(otherNodes(nodes).map(({ id }) => id))
  for (const { nodeId, hostname } of (await readEngines(db)).values()) {
    if (present.has(nodeId)) continue
    await engine.removeService(engineServiceName(nodeId))
    await transact((tx) => deleteEngine(tx, nodeId))
    log.info('the port to the engine of a node was removed', { nodeId, hostname })
  }
}

/** Removes the services of nodes without a row, which an earlier state of the store has left. */
async function removeLeftovers({ engine, installationId }: Runtime, nodes: FoundNode[]): Promise<void> {
  const names = new Set(otherNodes(nodes).map(({ id }) => engineServiceName(id)))
  for (const { name, labels } of await engine.services()) {
    if (labels[roleLabel] !== engineRole || !isOwnObject(labels, installationId) || names.has(name)) continue
    await engine.removeService(name)
  }
}
