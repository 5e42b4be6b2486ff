/** berth history: the work on databases and other records, and how it ended. */
import type { Client, Operations } from '../../../client/client.ts'
import { choiceOption, type CommandDeclaration, type Outcome } from '../../command.ts'
import { databaseArgument, findDatabase, pathOf } from '../../databases.ts'
import { findProject, given, optionalNumber } from '../../names.ts'
import type { Output, Style } from '../../terminal/output.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableDuration, readableTime } from '../../terminal/size.ts'

type Deployment = Awaited<ReturnType<Operations['deployment']['all']>>[number]

const states = ['running', 'done', 'error', 'superseded'] as const
const defaultLimit = 20

interface Options extends CommonOptions {
  project?: string
  state?: Deployment['state']
  since?: string
  limit?: string
}

export const historyCommand: CommandDeclaration = {
  name: 'history',
  description: 'list the work on databases, nodes and other records, newest first, and how it ended',
  arguments: [['[database]', databaseArgument[1]]],
  options: [
    ['--project <name>', 'only databases in this project'],
    choiceOption('--state <state>', 'only work in this state: superseded means that a later call replaced it', states),
    ['--since <time>', 'leave out older work: 2030-01-31T12:00:00Z, or 15m, 2h, 3d'],
    ['--limit <count>', `how many (${defaultLimit})`],
  ],
  notes: ['Work that has ended is forgotten after 90 days.'],
  examples: ['berth history shop/orders', 'berth history --state error --since 7d'],
  run: list,
}

async function list({ open, output }: Session, options: Options, name?: string): Promise<Outcome> {
  const limit = optionalNumber('--limit', options.limit) ?? defaultLimit
  const client = open(options)
  const serviceId = name === undefined ? undefined : (await findDatabase(client, name)).databaseId
  const projectId = options.project === undefined ? undefined : (await findProject(client, options.project)).projectId
  const filters = {
    ...given('serviceId', serviceId),
    ...given('projectId', projectId),
    ...given('state', options.state),
  }
  const work = await client.deployment.all({ ...filters, ...given('since', options.since), order: 'desc', limit })
  const nameOf = await namesOf(client)
  return {
    json: work,
    show() {
      if (work.length === 0) output.remark('There was no such work in the last 90 days.')
      output.table(
        ['when', 'what', 'action', 'state', 'took', 'reason'],
        work.map((each) => [
          readableTime(each.startedAt),
          nameOf(each),
          actionText(each),
          stateText(output, each),
          durationText(each),
          each.reason ?? '',
        ]),
      )
    },
  }
}

/** Databases are called by their paths; other records, and databases that do not exist any more, by their last names. */
async function namesOf(client: Client): Promise<(work: Deployment) => string> {
  const paths = new Map((await client.database.all()).map((each) => [each.databaseId, pathOf(each)]))
  return ({ subjectKind, serviceId, appName }) => paths.get(serviceId ?? '') ?? `${subjectKind} ${appName ?? ''}`.trim()
}

const actionText = ({ action, phase }: Deployment) => (phase === 'apply' ? action : `${action}: ${phase}`)

const styles: Record<Deployment['state'], Style> = { running: 'busy', done: 'good', error: 'bad', superseded: 'faint' }
const stateText = (output: Output, { state }: Deployment) => output.styled(styles[state], state)

function durationText({ startedAt, finishedAt }: Deployment): string {
  if (finishedAt === null) return '-'
  return readableDuration((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000)
}
