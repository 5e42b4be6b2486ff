/** Reads a running server with TLS: its records, its container and its certificates. */
import type { FoundTask } from '../../../engine/engine.ts'
import { kindNamed } from '../../../kinds/index.ts'
import type { Address, Kind, KindTls } from '../../../kinds/kind.ts'
import { tlsModeOf } from '../../../kinds/server-tls.ts'
import type { Runtime } from '../../../runtime.ts'
import { findVolume } from '../../reconcile/volume-placement.ts'
import { openTarget, settingsOfVolume, type Settings } from '../../targets.ts'
import { targetAddress } from '../mode.ts'
import type { TlsSubject } from '../provide.ts'
import { findCertificate, findTls } from '../queries.ts'
import { isOutsideValidity } from '../renewal.ts'
import type { AskCertificate } from './served.ts'
import type { DatabaseCertificateTable, DatabaseTlsTable } from '../table.ts'

export interface RunningServer {
  subject: TlsSubject
  kind: Kind
  kindTls: KindTls
  tls: DatabaseTlsTable
  current: DatabaseCertificateTable
  next: DatabaseCertificateTable | null
  task: FoundTask
  /** The credentials and the address for programs in the container. */
  settings: Settings
  address: Address
  askCertificate: AskCertificate
}

/**
 * Returns null if the server has no TLS, if a deployment is in progress, or if Berth has not verified that exactly one
 * container runs on the data of the database. A container that refuses logins counts only if its certificate has ended.
 */
export async function readRunningServer(
  runtime: Runtime,
  askCertificate: AskCertificate,
  databaseId: string,
): Promise<RunningServer | null> {
  const { db, vault, engine, now } = runtime
  const row = await db.selectFrom('database').selectAll().where('id', '=', databaseId).executeTakeFirst()
  if (row === undefined || row.deploymentId !== null || row.goal !== 'up') return null
  const [tls, current, next] = [
    await findTls(db, databaseId),
    await findCertificate(db, databaseId, 'current'),
    await findCertificate(db, databaseId, 'next'),
  ]
  const [target, volume] = [openTarget(vault, 'target', row), await findVolume(db, row)]
  if (tls === null || current === null || target === null || volume === null) return null
  const kind = kindNamed(row.kind)
  if (kind.tls === undefined || tlsModeOf(kind, target.tls) === 'off') return null
  const tasks = await engine.tasks([row.appName])
  const [task, ...others] = tasks.filter(({ state, desired }) => state === 'running' && desired === 'running')
  if (task === undefined || others.length > 0 || task.address === null) return null
  const isProven = row.observed === 'up' && task.id === row.provenTask
  // No login succeeds that verifies such a certificate, so the server cannot be proven before it has another one.
  const isRefused = row.observed === 'unproven' && isOutsideValidity(current, now())
  if (!isProven && !isRefused) return null
  const subject = { row, target, volume }
  const address = targetAddress({ row, kind, target }, task.address)
  const settings = settingsOfVolume(vault, volume)
  return { subject, kind, kindTls: kind.tls, tls, current, next, task, settings, address, askCertificate }
}
