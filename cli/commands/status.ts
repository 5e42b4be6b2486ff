/** berth status: what needs attention. */
import { choiceOption, type CommandDeclaration, type Outcome } from '../command.ts'
import { CommandError } from '../exit.ts'
import { findProject, given } from '../names.ts'
import type { CommonOptions, Session } from '../connection/session.ts'
import { readableDistance, readableTime } from '../terminal/size.ts'
import { inCommands } from '../terminal/words.ts'
import { type Condition, nextCommands } from './status-hints.ts'

interface Options extends CommonOptions {
  project?: string
  severity?: Condition['severity']
  past?: true
  fail?: true
}

export const statusCommand: CommandDeclaration = {
  name: 'status',
  description: 'show what needs attention, critical first',
  options: [
    ['--project <name>', 'only conditions of this project'],
    choiceOption('--severity <severity>', 'only this severity', ['critical', 'warning', 'info']),
    ['--past', 'also what needed attention in the last 90 days'],
    ['--fail', 'end with exit status 1 if something needs attention'],
  ],
  notes: ['Of a reason, the first line is shown; --json has all of it. The last column is a command to type next.'],
  examples: ['berth status', 'berth status --severity critical --fail', 'berth status --json'],
  run: status,
}

async function status({ open, output }: Session, options: Options): Promise<Outcome> {
  const client = open(options)
  const projectId = options.project === undefined ? undefined : (await findProject(client, options.project)).projectId
  const conditions = await client.condition.all({
    state: options.past === true ? 'all' : 'present',
    order: 'desc',
    ...given('severity', options.severity),
    ...given('projectId', projectId),
  })
  // What is as configured needs no attention: such conditions are notes.
  const present = conditions.filter(({ endedAt, severity }) => endedAt === null && severity !== 'info')
  const count = countText(present)
  const notes = conditions.filter(({ endedAt, severity }) => endedAt === null && severity === 'info').length
  return {
    json: conditions,
    show() {
      if (count === null) output.remark(noneText(notes))
      else if (options.fail !== true) output.remark(`${count}\n`)
      output.table(
        ['severity', 'subject', 'condition', options.past === true ? 'when' : 'began', 'reason', 'next'],
        conditions.toSorted((a, b) => rank(a) - rank(b)).map((each) => rowOf(output, each)),
      )
    },
    ...(options.fail === true && count !== null ? { failure: new CommandError('failed', count) } : {}),
  }
}

const severities: readonly Condition['severity'][] = ['critical', 'warning', 'info']

/** Present conditions before past ones, the most severe first. */
const rank = ({ endedAt, severity }: Condition) => (endedAt === null ? 0 : 3) + severities.indexOf(severity)

function countText(present: Condition[]): string | null {
  if (present.length === 0) return null
  const critical = present.filter(({ severity }) => severity === 'critical').length
  const some = present.length === 1 ? '1 thing needs attention' : `${present.length} things need attention`
  return `${some}${critical === 0 ? '' : `, ${critical} of them critical`}.`
}

const noneText = (notes: number) =>
  notes === 0
    ? 'Everything is fine. Nothing needs attention.'
    : `Nothing needs attention. ${notes} ${notes === 1 ? 'note' : 'notes'}:\n`

/** The first line, without a sentence or a colon that introduces the further lines. */
const firstLine = (reason: string) => reason.split('\n', 1)[0]!.replace(/(?:[.;] [^.;:]*)?:$/, '')

function rowOf(output: Session['output'], each: Condition): string[] {
  const name = each.path ?? each.subjectName
  const style = each.endedAt !== null ? 'faint' : each.severity === 'critical' ? 'bad' : 'busy'
  const end = each.endedAt === null ? '' : `, ended ${readableTime(each.endedAt)}`
  const mute = each.mutedUntil ? `, muted for ${readableDistance(each.mutedUntil)}` : ''
  return [
    output.styled(style, each.severity),
    name === each.subjectKind ? name : `${each.subjectKind} ${name}`,
    each.name + mute,
    `${readableTime(each.since)}${end}`,
    inCommands(firstLine(each.reason)),
    // A newer Berth may have further conditions.
    each.endedAt === null ? (nextCommands[each.name]?.(name, each.subjectKind) ?? '') : '',
  ]
}
