/**
 * The loop that keeps the table of conditions up to date. A turn reads the store, derives the conditions and writes the
 * differences. The table is the state: after a restart or a failed turn, the next turn does the same work.
 */
import type { Loop } from '../lib/async/loop.ts'
import { type PublicCertificate, publicCertificateOf } from '../routing/public/certificate.ts'
import type { Runtime } from '../runtime.ts'
import type { LatestSamples } from '../samples/loop.ts'
import { backupFindings } from './backups.ts'
import { authorityFindings, certificateFindings, publicUrlFindings } from './certificates.ts'
import { conditionChanges, type FirstSeen, hasChanges } from './changes.ts'
import { databaseFindings, publishedPortFindings, serverTlsFindings, sourcesFindings } from './databases.ts'
import { destinationFindings } from './destinations.ts'
import { type Facts, readFacts, readMeasured } from './facts.ts'
import {
  engineFindings,
  nodeEngineFindings,
  nodeFindings,
  proxyFindings,
  registryFindings,
  signInFindings,
} from './infrastructure.ts'
import { presentConditions, writeChanges } from './queries.ts'
import type { ConditionTable } from './table.ts'
import { isUnmeasured, namedDatabases, type ReadPast, type UsageFacts, usageFindings } from './usage.ts'

/**
 * @param isEngineReachable whether the last query of the engine succeeded
 * @param latestSamples the last samples; null before the first ones
 */
export function conditionsLoop(
  runtime: Runtime,
  isEngineReachable: () => boolean,
  latestSamples: () => LatestSamples | null,
  readPast: ReadPast,
): Loop<'conditions'> {
  const { db, transact, now, newId, log, wake } = runtime
  let firstSeen: FirstSeen = new Map()
  return { name: 'conditions', periodMs: 15_000, turn }

  async function turn() {
    const at = now()
    const present = await presentConditions(db)
    const latest = latestSamples()
    const past = readPast(latest, at)
    const usage = { latest, past, ...(await readMeasured(db, namedDatabases(latest, past, present))) }
    const facts = { ...(await readFacts(db, at)), usage, publicCertificate: await publicCertificateOf(runtime) }
    const { findings, repaired } = findingsOf(facts, present, isEngineReachable(), at)
    const isKept = (row: ConditionTable) =>
      (row.subjectKind === 'database' && repaired.has(row.subjectId)) || isUnmeasured(usage, row, at)
    const changes = conditionChanges(present, findings, isKept, firstSeen, at)
    if (hasChanges(changes)) {
      await transact((tx) => writeChanges(tx, changes, newId, at.toISOString()))
      wake('alerts')
    }
    firstSeen = changes.firstSeen
    for (const { name, subjectId } of changes.begun) log.warn('a condition began', { name, subjectId })
    if (changes.endedIds.length > 0) log.info('conditions ended', { conditionIds: changes.endedIds.join(' ') })
    return 'idle' as const
  }
}

function findingsOf(
  facts: Facts & { usage: UsageFacts; publicCertificate: PublicCertificate | null },
  present: readonly ConditionTable[],
  isEngineReachable: boolean,
  now: Date,
) {
  const restarting = new Set(
    present.filter(({ name }) => name === 'DatabaseRestarting').map(({ subjectId }) => subjectId),
  )
  const { findings, repaired } = databaseFindings(facts.databases, facts.restarts, restarting, now)
  return {
    repaired,
    findings: [
      ...findings,
      ...sourcesFindings(facts.externalPorts),
      ...publishedPortFindings(facts.publishedPorts),
      ...serverTlsFindings(facts.serverTls, now),
      ...usageFindings(facts.usage, present, now),
      ...backupFindings(facts.backups, facts.runs, facts.hasDatabases, now),
      ...destinationFindings(facts.destinations, facts.backups, facts.runs),
      ...engineFindings(isEngineReachable),
      ...nodeFindings(facts.nodes),
      ...nodeEngineFindings(facts.nodeEngines, facts.nodes),
      ...certificateFindings(facts.certificates, facts.issuances, now),
      ...authorityFindings(facts.authorities, now),
      ...publicUrlFindings(facts.publicCertificate, now),
      ...proxyFindings(facts.proxyFault),
      ...registryFindings(facts.registryServer),
      ...signInFindings(facts.failedSignIns),
    ],
  }
}
