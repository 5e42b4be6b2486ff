/** The state of a database in one word, from what Berth reports. Pure. */
import type { Database } from '../../client/client.ts'

export type DatabaseState = 'down' | 'restarting' | 'working' | 'up' | 'stopped'

/** What needs attention comes first. */
export const databaseStates: readonly DatabaseState[] = ['down', 'restarting', 'working', 'up', 'stopped']

const statesByStatus: Record<Database['applicationStatus'], DatabaseState> = {
  done: 'up',
  error: 'down',
  running: 'working',
  idle: 'stopped',
}

/**
 * A container that has ended is started again by Swarm. Berth records a database as down only if that fails, but nobody
 * can connect until it runs. A database that was never deployed is stopped.
 */
export function databaseState({
  applicationStatus,
  containerState,
}: Pick<Database, 'applicationStatus' | 'containerState'>): DatabaseState {
  const isRunning = containerState === null || containerState === 'running'
  return applicationStatus === 'done' && !isRunning ? 'restarting' : statesByStatus[applicationStatus]
}
