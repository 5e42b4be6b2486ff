/** berth alerts: which messages about conditions were sent to which channel. */
import { Option } from 'commander'
import type { Operations } from '../../../client/client.ts'
import { choiceOption, type CommandDeclaration, type Outcome } from '../../command.ts'
import { findNamed, given, numberOf } from '../../names.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'

type AlertMessage = Awaited<ReturnType<Operations['alert']['messages']>>[number]

interface Options extends CommonOptions {
  channel?: string
  state?: AlertMessage['state']
  limit: string
}

const states = ['waiting', 'sent', 'gaveUp'] as const satisfies readonly AlertMessage['state'][]

export const alertsCommand: CommandDeclaration = {
  name: 'alerts',
  description: 'list the messages about conditions: what was sent to which channel, and what waits',
  options: [
    ['--channel <name>', 'only messages to this channel'],
    choiceOption('--state <state>', 'only messages in this state', states),
    new Option('--limit <number>', 'how many of the newest, at most 1000').default('20'),
  ],
  notes: ['`berth status` lists what needs attention now, and `berth alert ls` what is muted.'],
  examples: ['berth alerts', 'berth alerts --state waiting', 'berth alerts --channel ops --limit 100'],
  run: list,
}

async function list({ open, output }: Session, options: Options): Promise<Outcome> {
  const client = open(options)
  const limit = numberOf('--limit', options.limit)
  const channelId = options.channel === undefined ? undefined : await channelIdOf(client, options.channel)
  const filter = { ...given('channelId', channelId), ...given('state', options.state) }
  const messages = await client.alert.messages({ order: 'desc', limit, ...filter })
  return {
    json: messages,
    show() {
      if (messages.length === 0) output.remark('There are no such messages.')
      output.table(
        ['made', 'channel', 'state', 'message', 'last error'],
        messages.map((each) => [
          readableTime(each.createdAt),
          each.channelName,
          stateText(each),
          each.title,
          each.lastError ?? '-',
        ]),
      )
    },
  }
}

async function channelIdOf(client: ReturnType<Session['open']>, name: string): Promise<string> {
  const { channelId } = findNamed('channel', name, await client.channel.all(), (each) => [each.name, each.channelId])
  return channelId
}

function stateText({ state, attempts, postponed }: AlertMessage): string {
  const text = state === 'gaveUp' ? 'given up' : state
  const failed = state === 'waiting' && attempts > 0 ? ` (${attempts} failed)` : ''
  if (postponed === null) return text + failed
  return `${text}${failed}, ${postponed.about === 'resolved' ? 'its end' : 'news'} follows ${readableTime(postponed.until)}`
}
