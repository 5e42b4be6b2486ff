/** Deployments and runs of backups as rows of one table. Pure. */
import type { Operations, Run } from '../../../client/client.ts'
import { bytesText } from '../format.ts'

export type Deployment = Awaited<ReturnType<Operations['deployment']['all']>>[number]

export interface Work {
  id: string
  state: Run['status'] | Deployment['state']
  /** What is done, such as "Deploy". */
  text: string
  subject: string
  /** Null: the subject has no screen. */
  href: string | null
  /** Null: the work waits for its begin. */
  startedAt: string | null
  finishedAt: string | null
  /** How far it is, or why it failed. */
  note: string
}

const actionTexts: Record<string, string> = {
  deploy: 'Deploy',
  start: 'Start',
  stop: 'Stop',
  reload: 'Restart',
  saveExternalPort: 'Change of the external port',
  remove: 'Removal',
  move: 'Move to another node',
  repair: 'Repair by Berth',
  restart: 'Restart by Swarm',
  halt: 'Stop by Berth',
}

/** `removeNode` is "Remove node". */
const spaced = (action: string) => {
  const words = action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const screens: Record<string, string> = {
  volume: '/volumes',
  node: '/nodes',
  registry: '/registries',
  port: '/applications',
}

export function workOfDeployment(deployment: Deployment): Work {
  const { deploymentId, action, appName, subjectKind, subjectId, state, phase, reason } = deployment
  const { startedAt, finishedAt } = deployment
  const isDatabase = subjectKind === 'database' && subjectId !== undefined
  return {
    id: deploymentId,
    state,
    text: actionTexts[action] ?? spaced(action),
    subject: appName ?? subjectKind ?? 'unknown',
    href: isDatabase ? `/databases/${subjectId}/state` : (screens[subjectKind ?? ''] ?? null),
    startedAt,
    finishedAt,
    note: [state === 'running' && phaseTexts[phase], reason].filter(Boolean).join(' '),
  }
}

const phaseTexts: Partial<Record<Deployment['phase'], string>> = {
  rollback: 'Going back to the last configuration that worked.',
  halt: 'Stopping the server.',
}

const runTexts: Record<Run['action'], string> = { dump: 'Backup', verify: 'Verification', restore: 'Restore' }
const stepTexts: Record<string, string> = {
  dump: 'Making the dump',
  check: 'Reading the dump back',
  list: 'Writing the manifest',
  drill: 'Restoring the dump into a scratch server',
  prepare: 'Preparing the database',
  safety: 'Making a dump of the present content',
  load: 'Loading the dump',
}

export function workOfRun(run: Run): Work {
  const { runId, action, database, databaseId, status, startedAt, finishedAt, step, progressBytes, reason } = run
  const progress = status === 'running' && step !== null ? (stepTexts[step] ?? step) : null
  const size = status === 'done' ? run.sizeBytes : status === 'running' && progressBytes > 0 ? progressBytes : null
  return {
    id: runId,
    state: status,
    text: run.trigger === 'safety' ? 'Safety backup before a restore' : runTexts[action],
    subject: database,
    href: databaseId === null ? null : `/databases/${databaseId}/backups`,
    startedAt,
    finishedAt,
    note: [progress, size !== null && bytesText(size), reason].filter(Boolean).join(' · '),
  }
}
