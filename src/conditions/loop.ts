/**
 * The loop that keeps the table of conditions up to date. A turn reads the store, derives the conditions and writes the
 * differences. The table is the state: after a restart or a failed turn, the next turn does the same work.
 */
import type { ClockReason } from '../clock/trust.ts'
import type { RefusedProxy, TrustedProxies } from '../cluster/trusted-proxies.ts'
import type { GateReason } from '../gate/reason.ts'
import type { Loop } from '../lib/async/loop.ts'
import type { Runtime } from '../runtime.ts'
import { backupFindings } from './backups.ts'
import { certificateFindings } from './certificates.ts'
import { conditionChanges, type FirstSeen, hasChanges } from './changes.ts'
import { accessFindings, databaseFindings, versionFindings } from './databases.ts'
import { destinationFindings } from './destinations.ts'
import { type Facts, readFacts } from './facts.ts'
import {
  clockFindings,
  engineFindings,
  gateFindings,
  nodeFindings,
  proxyFindings,
  registryFindings,
  returnedNodeFindings,
  signInFindings,
  stateFindings,
  trustedProxyFindings,
} from './infrastructure.ts'
import { presentConditions, writeChanges } from './queries.ts'
import type { ConditionTable } from './table.ts'

/**
 * @param isEngineReachable whether the last query of the engine succeeded
 * @param trustedProxies a turn reads the networks of containers, which proxies must not be in
 */
export function conditionsLoop(
  { db, transact, now, clock, newId, log, gate }: Runtime,
  isEngineReachable: () => boolean,
  trustedProxies: TrustedProxies,
): Loop<'conditions'> {
  let firstSeen: FirstSeen = new Map()
  return { name: 'conditions', periodMs: 15_000, turn }

  async function turn() {
    await trustedProxies.read()
    const at = now()
    const facts = await readFacts(db, at)
    const compare = (present: ConditionTable[]) => {
      const observed = {
        isEngineReachable: isEngineReachable(),
        clockReason: clock.read().reason,
        gateReason: gate.reason(),
        refusedProxies: trustedProxies.refused(),
      }
      const { findings, repaired } = findingsOf(facts, present, observed, at)
      const isKept = (row: ConditionTable) => row.subjectKind === 'database' && repaired.has(row.subjectId)
      return conditionChanges(present, findings, isKept, firstSeen, at)
    }
    const changes = compare(await presentConditions(db))
    if (hasChanges(changes)) await transact((tx) => writeChanges(tx, changes, newId, at.toISOString()))
    firstSeen = changes.firstSeen
    for (const { name, subjectId } of changes.begun) log.warn('a condition began', { name, subjectId })
    if (changes.endedIds.length > 0) log.info('conditions ended', { conditionIds: changes.endedIds.join(' ') })
    return 'idle' as const
  }
}

/** Facts that are not in the store. */
interface Observed {
  isEngineReachable: boolean
  clockReason: ClockReason | null
  gateReason: GateReason | null
  refusedProxies: readonly RefusedProxy[]
}

function findingsOf(facts: Facts, present: readonly ConditionTable[], observed: Observed, now: Date) {
  const restarting = new Set(
    present.filter(({ name }) => name === 'DatabaseRestarting').map(({ subjectId }) => subjectId),
  )
  const { findings, repaired } = databaseFindings(facts.databases, facts.restarts, restarting, now)
  return {
    repaired,
    findings: [
      ...findings,
      ...versionFindings(facts.versions, now),
      ...accessFindings(facts.accesses),
      ...backupFindings(facts.backups, facts.runs, facts.hasDatabases, now),
      ...destinationFindings(facts.destinations, facts.backups, facts.runs),
      ...engineFindings(observed.isEngineReachable),
      ...clockFindings(observed.clockReason),
      ...gateFindings(observed.gateReason),
      ...nodeFindings(facts.nodes),
      ...returnedNodeFindings(facts.returnedNodes),
      ...certificateFindings(facts.certificates, facts.issuances, now),
      ...proxyFindings(facts.proxyFault),
      ...registryFindings(facts.registryServer),
      ...stateFindings(facts.unconfirmedSince),
      ...signInFindings(facts.failedSignIns),
      ...trustedProxyFindings(observed.refusedProxies),
    ],
  }
}
