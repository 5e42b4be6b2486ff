/**
 * Applies the mode of the target to a running server whose certificate was not compared yet. After a restore of Berth's
 * state, its data may have the mode of a later or an earlier target.
 */
import type { Exec } from '../../../engine/exec.ts'
import type { Runtime } from '../../../runtime.ts'
import { run } from '../../reconcile/failures/run-program.ts'
import { allowPlain, requireTls } from '../mode.ts'
import { forgetServed } from '../queries.ts'
import type { RunningServer } from './running-server.ts'

const timeoutMs = 30_000

/** Call this after the step of the certificate, because the login for `require` verifies it. */
export async function applyModeAgain(runtime: Runtime, server: RunningServer): Promise<void> {
  const { subject, kind, tls, task, address } = server
  if (tls.servedFingerprint !== null) return
  const { row, target, volume } = subject
  const runInServer = (program: Exec) => run(runtime, { task }, program, timeoutMs)
  const failure =
    (await allowPlain(runtime, { row, kind, target }, volume, address, runInServer)) ??
    (await requireTls(runtime, { row, kind, target }, address, runInServer))
  if (failure === null) return
  const detail = failure.stderr.trim().slice(-300)
  runtime.log.warn('the TLS mode of a server was not applied and will be repeated', { databaseId: row.id, detail })
  await runtime.transact((tx) => forgetServed(tx, row.id))
}
