/** The phases of work on a database, and the states of its container, in words. Pure. */
import type { DatabaseRecord } from '../../data/kinds.ts'
import type { Deployment } from '../../data/lists/work.ts'

/** The states of a Swarm task, in words for people. */
const startPhases: Record<string, string> = {
  new: 'Planning the container',
  pending: 'Looking for room on the node',
  assigned: 'Handing the container over to its node',
  accepted: 'Handing the container over to its node',
  preparing: 'Getting the image onto the node',
  ready: 'Starting the container',
  starting: 'Starting the container',
  running: 'Logging in, to see whether the server answers',
}

type Work = Pick<Deployment, 'action' | 'phase'>
type Server = Pick<DatabaseRecord, 'containerState' | 'statusCode'>

/** What happens now. */
export function phaseText({ action, phase }: Work, server: Server): string {
  if (phase === 'rollback') return 'It failed: going back to the last configuration that worked'
  if (phase === 'halt') return 'It failed, and no configuration has worked yet: stopping the server'
  if (action === 'stop' || action === 'halt') return 'Stopping the server'
  if (action === 'remove') return 'Stopping the server, then removing its service'
  if (action === 'saveExternalPort') return 'Opening, changing or closing the external port'
  if (action === 'move') return movePhase(server)
  if (action === 'restore') return restorePhase(server)
  return startPhases[server.containerState ?? ''] ?? 'Preparing the container'
}

const movePhase = ({ statusCode, containerState }: Server) => {
  if (statusCode === 'Moving')
    return 'The database is stopped: copying its data to the new node and comparing both sides'
  return containerState === 'running'
    ? 'Preparing a server on the new node. The database still runs'
    : 'Starting the database'
}

const restorePhase = ({ statusCode, containerState }: Server) => {
  if (statusCode === 'Restoring')
    return 'The database is stopped: copying the other databases of the server to the new volume'
  return containerState === 'running'
    ? 'Loading the dump into a server on a new volume. The database still runs'
    : 'Starting the database'
}

const containerStates: Record<string, string> = {
  ...{ new: 'planned', pending: 'waiting for room on a node', assigned: 'given to its node' },
  ...{ accepted: 'accepted by its node', preparing: 'getting its image', ready: 'ready to start' },
  ...{ starting: 'starting', running: 'running', complete: 'ended', shutdown: 'shut down', failed: 'failed' },
  ...{ rejected: 'refused by its node', orphaned: 'lost with its node', remove: 'being removed' },
  ...{ missing: 'missing', unknown: 'unknown, because its node cannot be asked' },
}

/** The state of the container. Null: none was seen, because the database is stopped, or is being deployed first. */
export const containerText = (state: string | null): string =>
  state === null ? 'none' : (containerStates[state] ?? state)
