/** berth status: what needs attention. */
import type { Client } from '../../client/client.ts'
import { choiceOption, type CommandDeclaration, type Outcome } from '../command.ts'
import { pathOf } from '../databases.ts'
import { CommandError } from '../exit.ts'
import { findProject, given } from '../names.ts'
import type { CommonOptions, Session } from '../connection/session.ts'
import { readableTime } from '../terminal/size.ts'
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
    choiceOption('--severity <severity>', 'only this severity', ['critical', 'warning']),
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
  const nameOf = options.json === true ? ownName : await namesFor(client, conditions)
  const present = conditions.filter(({ endedAt }) => endedAt === null)
  const count = countText(present)
  return {
    json: conditions,
    show() {
      if (count === null) output.remark('Everything is fine. Nothing needs attention.')
      else if (options.fail !== true) output.remark(`${count}\n`)
      output.table(
        ['severity', 'subject', 'condition', options.past === true ? 'when' : 'since', 'reason', 'next'],
        conditions.toSorted((a, b) => rank(a) - rank(b)).map((each) => rowOf(output, each, nameOf(each))),
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

const ownName = ({ subjectName }: Condition) => subjectName

/** Names as commands take them: project/name for databases and their backups, whose names begin with an appName. */
async function namesFor(client: Client, conditions: Condition[]): Promise<typeof ownName> {
  const isOfDatabase = ({ subjectKind }: Condition) => subjectKind === 'database' || subjectKind === 'backup'
  const databases = conditions.some(isOfDatabase) ? await client.database.all({}) : []
  const paths = new Map(databases.map((each) => [each.appName, pathOf(each)]))
  return (each) => (isOfDatabase(each) ? paths.get(each.subjectName.split('/')[0]!) : undefined) ?? each.subjectName
}

function rowOf(output: Session['output'], each: Condition, name: string): string[] {
  const style = each.endedAt !== null ? 'faint' : each.severity === 'critical' ? 'bad' : 'busy'
  const end = each.endedAt === null ? '' : `, ended ${readableTime(each.endedAt)}`
  return [
    output.styled(style, each.severity),
    each.subjectName === each.subjectKind ? name : `${each.subjectKind} ${name}`,
    each.name,
    `${readableTime(each.since)}${end}`,
    inCommands(each.reason.split('\n', 1)[0]!.replace(/:$/, '')),
    // A newer Berth may have further conditions.
    each.endedAt === null ? (nextCommands[each.name]?.(name) ?? '') : '',
  ]
}
