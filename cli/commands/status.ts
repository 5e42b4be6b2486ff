/** berth status: what needs attention. */
import type { Operations } from '../../client/client.ts'
import { choiceOption, type CommandDeclaration, type Outcome } from '../command.ts'
import { CommandError } from '../exit.ts'
import { findProject, given } from '../names.ts'
import type { CommonOptions, Session } from '../connection/session.ts'
import { readableTime } from '../terminal/size.ts'

type Condition = Awaited<ReturnType<Operations['condition']['all']>>[number]

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
    choiceOption('--severity <severity>', 'only this severity', ['critical', 'warning']),
    ['--past', 'also what needed attention in the last 90 days'],
    ['--fail', 'end with exit status 1 if something needs attention'],
  ],
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
  const present = conditions.filter(({ endedAt }) => endedAt === null)
  const count = countText(present)
  return {
    json: conditions,
    show() {
      if (count === null) output.remark('Everything is fine. Nothing needs attention.')
      else if (options.fail !== true) output.remark(`${count}\n`)
      output.table(
        ['severity', 'subject', 'condition', options.past === true ? 'when' : 'since', 'reason'],
        conditions.toSorted((a, b) => rank(a) - rank(b)).map((each) => rowOf(output, each)),
      )
    },
    ...(options.fail === true && count !== null ? { failure: new CommandError('failed', count) } : {}),
  }
}

/** Present conditions before past ones, critical ones before warnings. */
const rank = ({ endedAt, severity }: Condition) => (endedAt === null ? 0 : 2) + (severity === 'critical' ? 0 : 1)

function countText(present: Condition[]): string | null {
  if (present.length === 0) return null
  const critical = present.filter(({ severity }) => severity === 'critical').length
  const some = present.length === 1 ? '1 thing needs attention' : `${present.length} things need attention`
  return `${some}${critical === 0 ? '' : `, ${critical} of them critical`}.`
}

function rowOf(output: Session['output'], each: Condition): string[] {
  const style = each.endedAt !== null ? 'faint' : each.severity === 'critical' ? 'bad' : 'busy'
  const end = each.endedAt === null ? '' : `, ended ${readableTime(each.endedAt)}`
  return [
    output.styled(style, each.severity),
    each.subjectName === each.subjectKind ? each.subjectName : `${each.subjectKind} ${each.subjectName}`,
    each.name,
    `${readableTime(each.since)}${end}`,
    each.reason,
  ]
}
