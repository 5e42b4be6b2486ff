/** The state of something: an icon, a word and a colour. The colour alone never tells it. */
import type { ComponentChildren } from 'preact'
import type { Database } from '../../client/client.ts'
import { CheckIcon, CrossIcon, StoppedIcon, WarningIcon, WorkingIcon } from './icons.tsx'

export type Tone = 'good' | 'warning' | 'critical' | 'working' | 'neutral'

export const toneIcons: Record<Tone, () => ComponentChildren> = {
  good: CheckIcon,
  warning: WarningIcon,
  critical: CrossIcon,
  working: WorkingIcon,
  neutral: StoppedIcon,
}

export function State({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  const ToneIcon = toneIcons[tone]
  return (
    <span class={`state ${tone}`}>
      <ToneIcon />
      {children}
    </span>
  )
}

export type DatabaseState = 'up' | 'down' | 'working' | 'stopped'

/** A stopped database has no container; one that was never deployed is stopped, too. */
export const databaseStates: Record<Database['applicationStatus'], DatabaseState> = {
  done: 'up',
  error: 'down',
  running: 'working',
  idle: 'stopped',
}
const tones: Record<DatabaseState, Tone> = { up: 'good', down: 'critical', working: 'working', stopped: 'neutral' }

export function DatabaseStatus({ status }: { status: Database['applicationStatus'] }) {
  const state = databaseStates[status]
  return <State tone={tones[state]}>{state}</State>
}

/** The state of long work: a deployment or a run of a backup. */
export function WorkState({ state }: { state: 'running' | 'done' | 'error' | 'superseded' | 'skipped' }) {
  if (state === 'running') return <State tone="working">in progress</State>
  if (state === 'done') return <State tone="good">succeeded</State>
  if (state === 'error') return <State tone="critical">failed</State>
  return <State tone="neutral">{state === 'skipped' ? 'not run' : 'replaced by later work'}</State>
}
