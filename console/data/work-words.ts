/** Long work in words: deployments, and runs of backups. Pure. */
import type { Run } from '../../client/client.ts'

const actions: Record<string, string> = {
  deploy: 'Deploy',
  start: 'Start',
  stop: 'Stop',
  reload: 'Restart',
  regainAccount: "Restart to make Berth's account again",
  saveExternalPort: 'Change of the external port',
  remove: 'Removal',
  move: 'Move to another node',
  repair: 'Repair',
  restart: 'Restart',
  halt: 'Stop',
}

/** What a deployment does. An action without words of its own is spelled out: `removeNode` is "Remove node". */
export const actionText = (action: string): string => actions[action] ?? spelledOut(action)

const spelledOut = (action: string) => {
  const words = action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const beginners: Record<string, string> = { restart: 'Swarm', repair: 'Berth', halt: 'Berth' }

/** Who began the deployment; null: a call of the API. */
export const beginnerOf = (action: string): string | null => beginners[action] ?? null

export function runTitle({ action, trigger }: Pick<Run, 'action' | 'trigger'>): string {
  if (trigger === 'safety') return 'Safety dump before a restore'
  if (action === 'restore') return 'Restore'
  if (action === 'verify') return 'Verification'
  return 'Dump'
}

const steps: Record<string, string> = {
  dump: 'Dumping and uploading',
  check: 'Reading the dump back from the bucket',
  list: 'Writing the manifest, the list of the content',
  drill: 'Restoring to a temporary server and comparing',
  prepare: 'Waiting until the database is ready',
  safety: 'Making a safety dump of the present data',
  load: 'Loading the dump into the database',
}

/** What a run in progress does now. */
export function runPhaseText({ step, startedAt, attempt }: Pick<Run, 'step' | 'startedAt' | 'attempt'>): string {
  const phase = startedAt === null ? 'Waiting for its turn' : (steps[step ?? ''] ?? 'At work')
  return attempt > 1 ? `${phase}, attempt ${attempt}` : phase
}
