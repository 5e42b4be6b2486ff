/** Replaces the certificate of a running server without a restart, and verifies by a handshake that it is in use. */
import { currentOf, trustBundle } from '../../../authority/issue.ts'
import { generationsOf } from '../../../authority/queries.ts'
import { EngineFailure, type Outcome } from '../../../engine/engine.ts'
import { toJson } from '../../../lib/json.ts'
import type { Runtime } from '../../../runtime.ts'
import { filesDigest } from '../../../volumes/files.ts'
import { certificateStep, maxRetryMs } from './certificate-step.ts'
import { tlsVolumeName } from '../files.ts'
import type { Served } from './handshake.ts'
import { issueFor, wantedNames } from '../issue.ts'
import { certificateFiles, writeCertificate } from '../provide.ts'
import * as queries from '../queries.ts'
import { renewalCause } from '../renewal.ts'
import type { CertificateReason } from '../reason.ts'
import type { RunningServer } from './running-server.ts'
import type { DatabaseCertificateTable, DatabaseTlsTable } from '../table.ts'

const reloadTimeoutMs = 30_000
/** How long a server may take to present a new certificate, and one handshake. */
const [acceptMs, handshakeMs] = [5000, 5000]
/** When to try again: after the server refused a certificate, and after an unknown outcome. */
const [refusedRetryMs, unknownRetryMs] = [maxRetryMs, 60_000]

/** Makes the next step for the certificate of a running server. */
export async function stepCertificate(runtime: Runtime, server: RunningServer, signal: AbortSignal): Promise<void> {
  const { subject, tls, current, next, kindTls } = server
  const names = wantedNames(runtime, subject.row, subject.volume)
  const { generation } = currentOf(await generationsOf(runtime.db, 'installation'))
  const now = runtime.now()
  const cause = renewalCause(current, names, generation, now)
  const recorded = await queries.findTlsVolume(runtime.db, tlsVolumeName(subject.volume.id))
  const situation = {
    tls,
    current: current.fingerprint,
    hasNext: next !== null,
    cause,
    isWritten: recorded?.digest === filesDigest(await certificateFiles(runtime, subject, current)),
    canReload: kindTls.canReload(subject.volume.serverVersion),
  }
  switch (certificateStep(situation, now)) {
    case 'none':
      return
    case 'wait':
      return update(runtime, server, { waitsForDeploy: 1 })
    case 'write':
      return writeCertificate(runtime, subject, current, signal)
    case 'compare':
      return recordingFailure(runtime, server, 'CertificateUnknown', () =>
        compare(runtime, server, situation.canReload, signal),
      )
    case 'replace': {
      // A replacement that failed for long, or began before Berth was stopped, may have a certificate of that time.
      const isUsable = next !== null && renewalCause(next, names, generation, now) === null
      const certificate = isUsable ? next : await issueNext(runtime, server, names)
      return recordingFailure(runtime, server, 'CertificateNotReplaced', () =>
        replace(runtime, server, certificate, signal),
      )
    }
  }
}

/**
 * Records a failure of the engine as the reason, for example that a node cannot get the image of the handshake. The step
 * is repeated later, with the same certificate. A conflict passes soon and is not recorded.
 */
async function recordingFailure(
  runtime: Runtime,
  server: RunningServer,
  reason: 'CertificateUnknown' | 'CertificateNotReplaced',
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.reason === 'conflict') throw error
    await recordReason(runtime, server, { reason, detail: error.message.slice(-maxDetailLength) }, unknownRetryMs)
  }
}

/** Issues and stores the certificate that will replace the current one. */
async function issueNext(
  runtime: Runtime,
  { subject: { row } }: RunningServer,
  names: readonly string[],
): Promise<DatabaseCertificateTable> {
  const { db, vault, now, transact } = runtime
  const issued = await issueFor(runtime, row, names)
  await transact((tx) => queries.storeCertificate(tx, vault, row.id, 'next', issued, now()))
  return (await queries.findCertificate(db, row.id, 'next'))!
}

/**
 * Writes the next certificate, makes the server read it, and compares what the server presents. If the server refuses
 * it, the former files are written again. After a crash at any point, the next turn begins again with the same certificate.
 */
async function replace(
  runtime: Runtime,
  server: RunningServer,
  next: DatabaseCertificateTable,
  signal: AbortSignal,
): Promise<void> {
  const { subject, current } = server
  await writeCertificate(runtime, subject, next, signal)
  const refusal = refusalOf(await reload(runtime, server)) ?? (await difference(runtime, server, next, signal))
  if (refusal === null) return recordServed(runtime, server, next)
  await writeCertificate(runtime, subject, current, signal)
  await reload(runtime, server)
  await runtime.transact((tx) => queries.deleteCertificate(tx, subject.row.id, 'next'))
  await recordReason(runtime, server, { reason: 'CertificateRefused', detail: refusal }, refusedRetryMs)
}

/** Compares the certificate that the server presents with the current one. */
async function compare(
  runtime: Runtime,
  server: RunningServer,
  canReload: boolean,
  signal: AbortSignal,
): Promise<void> {
  const served = await handshake(runtime, server, null, signal)
  if ('failure' in served) {
    return recordReason(runtime, server, { reason: 'CertificateUnknown', detail: served.failure }, unknownRetryMs)
  }
  if (served.fingerprint === server.current.fingerprint) return recordServed(runtime, server, server.current)
  // The volume may have been restored, so what Berth has written may be there no more.
  const volume = tlsVolumeName(server.subject.volume.id)
  await runtime.transact((tx) => queries.recordDigest(tx, volume, null))
  if (!canReload) return update(runtime, server, { servedFingerprint: served.fingerprint, waitsForDeploy: 1 })
  await writeCertificate(runtime, server.subject, server.current, signal)
  const refusal =
    refusalOf(await reload(runtime, server)) ?? (await difference(runtime, server, server.current, signal))
  if (refusal === null) return recordServed(runtime, server, server.current)
  await recordReason(runtime, server, { reason: 'CertificateNotReplaced', detail: refusal }, refusedRetryMs)
}

const reload = (runtime: Runtime, { kindTls, settings, address, task }: RunningServer): Promise<Outcome> =>
  runtime.engine.run(task, kindTls.reload(settings, address), reloadTimeoutMs)

const maxDetailLength = 500

const refusalOf = ({ exitCode, stderr, stdout }: Outcome): string | null =>
  exitCode === 0 ? null : (stderr.trim() || stdout.trim() || `exit code ${exitCode}`).slice(-maxDetailLength)

/** Returns how the presented certificate differs from the wanted one; null if it is this one. */
async function difference(
  runtime: Runtime,
  server: RunningServer,
  { fingerprint }: DatabaseCertificateTable,
  signal: AbortSignal,
): Promise<string | null> {
  const served = await handshake(runtime, server, fingerprint, signal)
  if ('failure' in served) return served.failure
  return served.fingerprint === fingerprint ? null : `it presents the certificate ${served.fingerprint}`
}

async function handshake(
  runtime: Runtime,
  { subject: { row, target }, kindTls, task, askCertificate }: RunningServer,
  expected: string | null,
  signal: AbortSignal,
): Promise<Served> {
  const question = {
    port: kindTls.port(target.tls),
    handshake: kindTls.handshake,
    serverName: row.appName,
    ca: await trustBundle(runtime.db, 'installation'),
    timeoutMs: handshakeMs,
    expected,
    waitMs: expected === null ? 0 : acceptMs,
  }
  return askCertificate(runtime, task, row.id, question, signal)
}

async function recordServed(
  runtime: Runtime,
  { subject: { row }, tls, next }: RunningServer,
  { fingerprint, state }: DatabaseCertificateTable,
): Promise<void> {
  const at = runtime.now().toISOString()
  await runtime.transact(async (tx) => {
    if (state === 'next' && !(await queries.promoteCertificate(tx, row.id, fingerprint))) return
    const servedSince = tls.servedFingerprint === fingerprint ? (tls.servedSince ?? at) : at
    const known = {
      servedFingerprint: fingerprint,
      servedSince,
      reason: null,
      nextTryAt: null,
      waitsForDeploy: 0,
    } as const
    await queries.updateTls(tx, row.id, known)
  })
  if (state === 'next' || next !== null) runtime.log.info('a certificate was replaced', { databaseId: row.id })
}

async function recordReason(runtime: Runtime, server: RunningServer, reason: CertificateReason, retryMs: number) {
  const nextTryAt = new Date(runtime.now().getTime() + retryMs).toISOString()
  await update(runtime, server, { reason: toJson(reason), nextTryAt })
  runtime.log.warn('a certificate is not in use', { databaseId: server.subject.row.id, ...reason })
}

const update = (runtime: Runtime, { subject: { row } }: RunningServer, patch: Partial<DatabaseTlsTable>) =>
  runtime.transact((tx) => queries.updateTls(tx, row.id, patch))
