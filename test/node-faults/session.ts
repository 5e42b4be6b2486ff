/** Runs SQL in a session with a database, over the same WebSocket as `berth psql`. */
import { WebSocket } from 'ws'

export interface SessionEnd {
  /** Null if the session ended without the exit code of psql. */
  exitCode: number | null
  output: string
}

/** Never rejects: a session that cannot be opened has ended without an exit code. */
export async function runSql(base: string, token: string, databaseId: string, sql: string): Promise<SessionEnd> {
  const query = new URLSearchParams({ databaseId, mode: 'client' })
  for (const argument of ['--no-psqlrc', '--tuples-only', '--no-align', '--command', sql])
    query.append('argument', argument)
  const url = `${base.replace(/^http/, 'ws')}/api/database.openSession?${query}`
  const socket = new WebSocket(url, 'berth.session.v1', { headers: { authorization: `Bearer ${token}` } })
  const end: SessionEnd = { exitCode: null, output: '' }
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) end.output += data.toString()
    else end.exitCode = (JSON.parse(data.toString()) as { exitCode?: number }).exitCode ?? end.exitCode
  })
  // A refusal and a broken connection both end with `close`.
  socket.on('error', () => undefined)
  const timer = setTimeout(() => socket.terminate(), 60_000)
  await new Promise((resolve) => socket.once('close', resolve))
  clearTimeout(timer)
  return end
}
