/** berth alert: what Berth sends no messages about for some time. */
import type { Operations } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, findDatabase, pathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { findNamed, findNode, given, optionalNumber } from '../../names.ts'
import { suggestion } from '../../nearest.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableDistance, readableTime } from '../../terminal/size.ts'

type Client = ReturnType<Session['open']>
type Mute = Awaited<ReturnType<Operations['alert']['mutes']>>[number]

interface UnmuteOptions extends CommonOptions {
  node?: true
}

interface MuteOptions extends CommonOptions {
  hours?: string
  until?: string
  condition?: Mute['condition']
  node?: true
}

const commands: CommandDeclaration[] = [
  {
    name: 'mute',
    description: 'send no messages about a database or a node for some time',
    arguments: [['<name>', `the database: ${databaseArgument[1]}; with --node the node`]],
    options: [
      ['--node', 'the name is that of a node'],
      ['--hours <number>', 'for how many hours (1)'],
      ['--until <time>', 'until this time instead, such as 2030-01-31T12:00:00Z'],
      ['--condition <name>', 'only this condition, such as DatabaseDown (all)'],
    ],
    examples: ['berth alert mute shop/orders --hours 2', 'berth alert mute web-2 --node --hours 8'],
    run: mute,
  },
  { name: 'ls', description: 'list what is muted', examples: ['berth alert ls'], run: list },
  {
    name: 'unmute',
    description: 'send messages again; conditions that are present cause one',
    arguments: [['<name>', 'the database or the node']],
    options: [['--node', 'the name is that of a node']],
    examples: ['berth alert unmute shop/orders', 'berth alert unmute web-2 --node'],
    run: unmute,
  },
]

export const alertGroup: GroupDeclaration = {
  name: 'alert',
  description: 'mute messages about what needs attention',
  notes: ['`berth status` lists what needs attention, also what is muted. `berth channel` has the receivers.'],
  examples: ['berth alert mute shop/orders --hours 2', 'berth alert ls'],
  commands,
}

async function mute({ open, output }: Session, options: MuteOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const hours = optionalNumber('--hours', options.hours)
  const time = { ...given('hours', hours), ...given('until', options.until) }
  const subject = options.node === true ? await nodeNamed(client, name) : await databaseNamed(client, name)
  const { subjectKind, subjectId } = subject
  const created = await client.alert.mute({ subjectKind, subjectId, condition: options.condition ?? null, ...time })
  return { json: created, show: () => output.line(`Muted ${subject.name} for ${readableDistance(created.until)}.`) }
}

async function nodeNamed(client: Client, name: string) {
  const { id, hostname } = await findNode(client, name)
  return { subjectKind: 'node' as const, subjectId: id, name: hostname }
}

async function databaseNamed(client: Client, name: string) {
  const database = await findDatabase(client, name)
  return { subjectKind: 'database' as const, subjectId: database.databaseId, name: pathOf(database) }
}

interface NamedMute {
  mute: Mute
  /** The path, the name and the appName of a database, the name of a node, or else the id of the record. */
  names: readonly [string, ...string[]]
}

async function readMutes(client: Client): Promise<NamedMute[]> {
  const mutes = await client.alert.mutes()
  const kinds = new Set(mutes.map(({ subjectKind }) => subjectKind))
  const databases = kinds.has('database') ? await client.database.all() : []
  const nodes = kinds.has('node') ? await client.cluster.getNodes() : []
  const names = new Map<string, NamedMute['names']>([
    ...databases.map((each) => [each.databaseId, [pathOf(each), each.name, each.appName]] as const),
    ...nodes.map(({ id, hostname }) => [id, [hostname]] as const),
  ])
  return mutes.map((mute) => ({ mute, names: names.get(mute.subjectId) ?? [mute.subjectId] }))
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const all = await readMutes(open(options))
  return {
    json: all.map((each) => each.mute),
    show() {
      if (all.length === 0) output.remark('Nothing is muted.')
      output.table(
        ['name', 'kind', 'condition', 'ends'],
        all.map((each) => [
          each.names[0],
          each.mute.subjectKind,
          each.mute.condition ?? 'all',
          readableTime(each.mute.until),
        ]),
      )
    },
  }
}

async function unmute({ open, output }: Session, options: UnmuteOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const all = await readMutes(client)
  const groups = groupsOf(options.node === true ? all.filter(({ mute }) => mute.subjectKind === 'node') : all)
  if (!groups.some(({ names }) => names.some((each) => each.startsWith(name)))) {
    const near = suggestion(name, [...new Set(groups.map(({ names }) => names[0]))])
    throw new CommandError('notFound', `${name} is not muted.`, near || null)
  }
  const found = findNamed('muted record', name, groups, ({ names }) => [...names])
  const ended = []
  for (const { muteId } of found.mutes) ended.push(await client.alert.unmute({ muteId }))
  return { json: ended, show: () => output.line(`${found.names[0]} is not muted any more.`) }
}

/** A record can have several mutes, one for each condition. */
const groupsOf = (all: readonly NamedMute[]) =>
  [...Map.groupBy(all, ({ mute }) => mute.subjectId).values()].map((group) => ({
    names: group[0]!.names,
    mutes: group.map(({ mute }) => mute),
  }))
