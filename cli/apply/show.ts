/** Shows a plan to a person, and as data for programs. Neither has secrets. */
import type { Output, Style } from '../terminal/output.ts'
import type { Change, Plan, Step } from './step.ts'

const marks: Record<Step['action'], string> = { create: '+', change: '~', deploy: '>', stop: '>', remove: '-' }
const styles: Record<string, Style> = { '+': 'good', '-': 'bad', '~': 'busy', '!': 'bad', '>': 'faint' }

const markOf = ({ action, isRestart }: Step) => (isRestart ? '!' : marks[action])

/** The step in one line, for example `deploy database shop/orders`. */
export const stepLine = ({ action, subject }: Step): string => `${action} ${subject}`

export function showPlan({ steps, notInFile }: Plan, output: Output): void {
  for (const step of steps) {
    const mark = markOf(step)
    const suffix = step.isRestart ? ' (restarts the database)' : ''
    output.line(`${output.styled(styles[mark]!, mark)} ${stepLine(step)}${suffix}`)
    for (const change of step.changes) output.line(`    ${changeText(change)}`)
  }
  if (notInFile.length > 0) output.line('Not in the file, and left as they are:')
  for (const subject of notInFile) output.line(`  ${subject}`)
  output.line(summaryOf(steps))
}

function changeText({ field, from, to, isSecret }: Change): string {
  if (isSecret) return `${field}: changes`
  if (from === null) return `${field}: ${to}`
  return `${field}: ${from} → ${to ?? '(none)'}`
}

function summaryOf(steps: readonly Step[]): string {
  if (steps.length === 0) return 'Nothing to do.'
  const count = (isCounted: (step: Step) => boolean) => steps.filter(isCounted).length
  const parts = [
    [count(({ action }) => action === 'create'), 'to create'],
    [count(({ action }) => action === 'change'), 'to change'],
    [count(({ action, isRestart }) => action === 'deploy' && !isRestart), 'to deploy'],
    [count(({ action }) => action === 'stop'), 'to stop'],
    [count(({ isRestart }) => isRestart), 'to restart'],
  ] as const
  const counts = parts.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`)
  return `${steps.length === 1 ? '1 step' : `${steps.length} steps`}${counts.length > 0 ? ': ' : ''}${counts.join(', ')}.`
}

/** The plan for programs. The input of a step is left out, because it has secrets. */
export const planJson = ({ steps, notInFile }: Plan) => ({
  steps: steps.map(({ action, subject, changes, isRestart, operation }) => ({
    action,
    subject,
    operation,
    isRestart,
    changes,
  })),
  notInFile,
})
