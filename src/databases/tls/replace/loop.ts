/**
 * The loop of the certificates of databases. Each turn decides one step for each running server with TLS, removes the
 * volumes that no server uses any more, and ends a rotation of the authority when no certificate needs it. Idempotent.
 */
import { retireAuthority } from '../../../authority/retire.ts'
import { EngineFailure } from '../../../engine/engine.ts'
import { forEachConcurrent } from '../../../lib/async/for-each-concurrent.ts'
import type { Loop, Turn } from '../../../lib/async/loop.ts'
import type { Runtime } from '../../../runtime.ts'
import { applyModeAgain } from './mode-again.ts'
import { countPlainConnections } from './plain-connections.ts'
import { deleteTlsVolume, isUnusedTlsVolume, tlsDatabases, unusedTlsVolumes } from '../queries.ts'
import { stepCertificate } from './replace.ts'
import { readRunningServer } from './running-server.ts'
import type { AskCertificate } from './served.ts'

/** The maximum number of servers with a step at the same time. */
const maxConcurrentSteps = 4

/** @param askCertificate another function in tests whose servers accept no connections */
export function certificatesLoop(runtime: Runtime, askCertificate: AskCertificate): Loop<'certificates'> {
  return {
    name: 'certificates',
    periodMs: 60_000,
    minGapMs: 1000,
    againMs: 2000,
    turn: (stopping) => turn(runtime, askCertificate, stopping),
  }
}

async function turn(runtime: Runtime, askCertificate: AskCertificate, signal: AbortSignal): Promise<Turn> {
  const removed = await removeUnused(runtime, signal)
  await forEachConcurrent(await tlsDatabases(runtime.db), maxConcurrentSteps, async ({ databaseId }) => {
    if (!signal.aborted) await step(runtime, askCertificate, databaseId, signal)
  })
  await runtime.transact((tx) => retireAuthority(tx, runtime.vault, 'installation'))
  return removed
}

/**
 * Makes one step for a server. A failure of the engine ends only this step: the next turn tries again. A step that ends
 * early because Berth stops is no failure.
 */
async function step(
  runtime: Runtime,
  askCertificate: AskCertificate,
  databaseId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const server = await readRunningServer(runtime, askCertificate, databaseId)
    if (server === null) return
    await stepCertificate(runtime, server, signal)
    await applyModeAgain(runtime, server)
    await countPlainConnections(runtime, server)
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof EngineFailure)) throw error
    runtime.log.warn('a step of a certificate failed and will be repeated', { databaseId, detail: error.message })
  }
}

/** Removes the volumes with certificates that no server uses any more. */
async function removeUnused({ db, engine, transact }: Runtime, signal: AbortSignal): Promise<Turn> {
  let next: Turn = 'idle'
  for (const { name, nodeId } of await unusedTlsVolumes(db)) {
    if (signal.aborted) return 'idle'
    // The removals before this one may have taken long, and a server may start on the volume now.
    if (!(await isUnusedTlsVolume(db, name))) continue
    try {
      await engine.removeVolume(name, nodeId)
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error
      // The engine reports a volume as in use for some seconds after its last container has ended.
      if (error.reason === 'conflict') next = 'again'
      if (error.reason !== 'nodeMissing') continue
    }
    await transact((tx) => deleteTlsVolume(tx, name))
  }
  return next
}
