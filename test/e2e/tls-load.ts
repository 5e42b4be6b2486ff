/** Load on a server with TLS while its certificate is replaced: connections that stay open, and new ones. */
import assert from 'node:assert/strict'
import { openVerified, type VerifiedTarget } from './verified-clients.ts'

/** How often the tests replace a certificate under load. */
export const replacements = Number(process.env.BERTH_TLS_REPLACEMENTS ?? 3)

const heldConnections = 3

/**
 * Runs `work` while three connections make one request after the other, and others are opened and closed. Fails if a
 * connection ends, or if a new one does not verify the server. Returns the numbers of requests and of new connections.
 */
export async function underLoad(
  target: VerifiedTarget,
  work: () => Promise<void>,
): Promise<{ requests: number; connections: number }> {
  let isOver = false
  const keepOpen = async () => {
    const session = await openVerified(target)
    let requests = 0
    for (; !isOver; requests++) assert.ok(await session.isAlive(), 'a held connection ended')
    await session.close()
    return requests
  }
  const connect = async () => {
    let connections = 0
    for (; !isOver; connections++) await (await openVerified(target)).close()
    return connections
  }
  const all = Promise.all([connect(), ...Array.from({ length: heldConnections }, keepOpen)])
  all.catch(() => undefined)
  try {
    await work()
  } finally {
    isOver = true
  }
  const [connections, ...requests] = await all
  return { connections: connections!, requests: requests.reduce((sum, count) => sum + count, 0) }
}
