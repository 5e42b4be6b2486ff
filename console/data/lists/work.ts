/** Deployments and runs of backups as rows of one table. Pure. */
import type { Operations, Run } from '../../../client/client.ts'
import { bytesText } from '../format.ts'
import { actionText, beginnerOf, runPhaseText, runTitle } from '../work-words.ts'

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
  /** How far it is. */
  note: string | null
  /** Why it failed or waits. It can have several lines. */
  reason: string | null
}

const screens: Record<string, string> = {
  volume: '/volumes',
  node: '/nodes',
  engineAccess: '/nodes',
  registry: '/registries',
  port: '/applications',
}

export function workOfDeployment(deployment: Deployment): Work {
  const { deploymentId, action, appName, subjectKind, subjectId, state, reason } = deployment
  const { startedAt, finishedAt } = deployment
  const beginner = beginnerOf(action)
  const isDatabase = subjectKind === 'database' && subjectId !== undefined
  return {
    id: deploymentId,
    state,
    text: beginner === null ? actionText(action) : `${actionText(action)} by ${beginner}`,
    subject: appName ?? subjectKind ?? 'unknown',
    href: isDatabase ? `/databases/${subjectId}/state` : (screens[subjectKind ?? ''] ?? null),
    startedAt,
    finishedAt,
    note: noteOf(deployment),
    reason,
  }
}

const noteOf = ({ state, phase, reasonCode }: Deployment) =>
  reasonCode === 'RolledBack'
    ? 'Berth went back to the last configuration that worked'
    : ((state === 'running' ? phaseTexts[phase] : null) ?? null)

const phaseTexts: Partial<Record<Deployment['phase'], string>> = {
  rollback: 'Going back to the last configuration that worked',
  halt: 'Stopping the server',
}

export function workOfRun(run: Run): Work {
  const { runId, database, databaseId, status, startedAt, finishedAt, progressBytes, reason } = run
  const progress = status === 'running' && runPhaseText(run)
  const size = status === 'done' ? run.sizeBytes : status === 'running' && progressBytes > 0 ? progressBytes : null
  return {
    id: runId,
    state: status,
    text: runTitle(run),
    subject: database,
    href: databaseId === null ? null : `/databases/${databaseId}/backups`,
    startedAt,
    finishedAt,
    note: [progress, size !== null && bytesText(size)].filter(Boolean).join(' · ') || null,
    reason,
  }
}
