/** berth events: follows what changes. */
import type { Change, EventKind, Reset } from '../../client/client.ts'
import { type CommandDeclaration, listOption } from '../command.ts'
import { findDatabase } from '../databases.ts'
import { findProject, given } from '../names.ts'
import type { Output } from '../terminal/output.ts'
import type { CommonOptions, Session } from '../connection/session.ts'

interface Options extends CommonOptions {
  kind?: string[]
  project?: string
  database?: string
  from?: string
}

/** The kinds of records whose changes are events. */
export const eventKinds = [
  ...(['project', 'member', 'database', 'deployment', 'backup', 'run', 'destination', 'volume', 'node'] as const),
  ...(['application', 'redirect', 'security', 'port', 'certificate', 'hostName'] as const),
  ...(['registry', 'registryServer', 'account', 'invitation', 'condition', 'settings', 'channel', 'mute'] as const),
] satisfies EventKind[]

export const eventsCommand: CommandDeclaration = {
  name: 'events',
  description: 'follow the changes of databases, deployments, runs and other records, until Ctrl-C',
  options: [
    listOption('--kind <kinds>', 'only these kinds, separated by commas', eventKinds),
    ['--project <name>', 'only this project'],
    ['--database <name>', 'only the record of this database'],
    ['--from <id>', 'begin after the event with this id'],
  ],
  notes: ['After a break of the connection the command connects again and goes on without a gap.'],
  examples: ['berth events --kind database,condition', 'berth events --project shop --json'],
  run: follow,
}

async function follow({ open, output, interrupted }: Session, options: Options): Promise<undefined> {
  const client = open(options)
  const projectId = options.project === undefined ? undefined : (await findProject(client, options.project)).projectId
  const id = options.database === undefined ? undefined : (await findDatabase(client, options.database)).databaseId
  const stream = client.events(
    {
      ...given('kinds', options.kind),
      ...given('projectId', projectId),
      ...given('id', id),
      ...given('lastEventId', options.from),
    },
    {
      signal: interrupted,
      onConnection: (isConnected) =>
        output.remark(isConnected ? 'Following. Ctrl-C ends it.' : 'The connection broke. Connecting again …'),
    },
  )
  try {
    for await (const event of stream) print(output, event, options.json === true)
  } catch (error) {
    if (!interrupted.aborted) throw error
  }
}

function print(output: Output, event: Change | Reset, isJson: boolean): void {
  if (isJson) output.line(JSON.stringify(event))
  else if (event.type === 'reset')
    output.remark('Events were missed, or your rights have changed. Read the records anew.')
  else output.line(changeText(output, event))
}

function changeText(output: Output, event: Change): string {
  const { at, kind, change, record, recordId } = event
  const name = record.appName ?? record.name ?? record.hostname ?? record.email ?? recordId
  const state = record.applicationStatus ?? record.state ?? record.status ?? ''
  return [output.styled('faint', at.slice(11, 19)), kind.padEnd(12), change.padEnd(8), name, state].join(' ').trimEnd()
}
