/** The state of something: an icon, a word and a colour. The colour alone never tells it. */
import type { ComponentChildren } from 'preact'
import type { DatabaseState } from '../data/database-state.ts'
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

const tones: Record<DatabaseState, Tone> = {
  up: 'good',
  down: 'critical',
  restarting: 'critical',
  working: 'working',
  stopped: 'neutral',
}

export const DatabaseStatus = ({ state }: { state: DatabaseState }) => <State tone={tones[state]}>{state}</State>

/** The state of long work: a deployment or a run of a backup. */
export function WorkState({ state }: { state: 'running' | 'done' | 'error' | 'superseded' | 'skipped' }) {
  if (state === 'running') return <State tone="working">in progress</State>
  if (state === 'done') return <State tone="good">succeeded</State>
  if (state === 'error') return <State tone="critical">failed</State>
  return <State tone="neutral">{state === 'skipped' ? 'not run' : 'replaced by later work'}</State>
}
