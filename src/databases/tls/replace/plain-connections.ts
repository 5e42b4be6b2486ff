/** Counts the connections of clients without TLS on a server that also accepts TLS. */
import type { Runtime } from '../../../runtime.ts'
import { updateTls } from '../queries.ts'
import type { RunningServer } from './running-server.ts'

/** How often Berth asks a server. */
const periodMs = 10 * 60_000
const timeoutMs = 10_000

/** Asks the server, if the last answer is older than ten minutes. A failure leaves the number unknown. */
export async function countPlainConnections(runtime: Runtime, server: RunningServer): Promise<void> {
  const { subject, kindTls, tls, task, settings, address } = server
  if (kindTls.plainConnections === undefined || subject.target.tls !== 'allow') return
  const now = runtime.now()
  // A later time was recorded while the clock was ahead.
  const agoMs = tls.plainCountedAt === null ? periodMs : Math.abs(now.getTime() - Date.parse(tls.plainCountedAt))
  if (agoMs < periodMs) return
  const { exitCode, stdout } = await runtime.engine.run(task, kindTls.plainConnections(settings, address), timeoutMs)
  const text = stdout.trim()
  const plainConnections = exitCode === 0 && /^\d{1,9}$/.test(text) ? Number(text) : null
  await runtime.transact((tx) => updateTls(tx, subject.row.id, { plainConnections, plainCountedAt: now.toISOString() }))
}
