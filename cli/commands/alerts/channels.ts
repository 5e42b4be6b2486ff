/** berth channel: where Berth sends messages about what needs attention. */
import type { Operations } from '../../../client/client.ts'
import {
  choiceOption,
  type CommandDeclaration,
  type GroupDeclaration,
  type Outcome,
  repeatedOption,
} from '../../command.ts'
import { CommandError } from '../../exit.ts'
import { findNamed, given, optionalNumber, projectIds, shellWord } from '../../names.ts'
import { askSecret, confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'

type Channel = Awaited<ReturnType<Operations['channel']['all']>>[number]
type Type = Channel['type']

const types = ['webhook', 'slack', 'discord', 'telegram', 'ntfy', 'email'] as const satisfies readonly Type[]
const severities = ['info', 'warning', 'critical'] as const satisfies readonly Channel['minSeverity'][]

interface ChannelOptions extends CommonOptions {
  severity?: Channel['minSeverity']
  project?: string[]
  condition?: NonNullable<Channel['conditions']>
  repeat?: string
  user?: string
  from?: string
  to?: string[]
  secret?: true
}

interface AddOptions extends ChannelOptions {
  type: Type
}

interface SetOptions extends ChannelOptions {
  name?: string
  url?: true
  on?: true
  off?: true
}

const channelArgument = ['<channel>', 'the name of the channel'] as const
/** The options of `add` and `set`. Only a new channel has defaults. */
const optionsFor = (isNew: boolean): NonNullable<CommandDeclaration['options']> => [
  choiceOption(
    '--severity <lowest>',
    `the lowest severity that causes messages${isNew ? ' (warning)' : ''}`,
    severities,
  ),
  repeatedOption(
    '--project <project>',
    `only what is about this project, or all; can be repeated${isNew ? ' (all)' : ''}`,
  ),
  repeatedOption(
    '--condition <name>',
    `only this condition, such as DatabaseDown, or all; can be repeated${isNew ? ' (all)' : ''}`,
  ),
  ['--repeat <hours>', `repeat a message after these hours; never: do not${isNew ? ' (24)' : ''}`],
  ['--from <address>', 'email: the address that messages come from'],
  repeatedOption('--to <address>', 'email: who gets the messages; can be repeated. telegram: the id of the chat'),
  ['--user <name>', 'email: the account on the mail server; the password is asked for'],
  isNew
    ? ['--secret', 'webhook: ask for the signing secret (Berth makes one). ntfy: ask for an access token']
    : ['--secret', 'ask for another secret: signing secret, access token, token of the bot or password'],
]
const addNotes = [
  'The URL is asked for, or taken from BERTH_CHANNEL_URL, because it may be a secret. For email it is the mail server:',
  'smtps://HOST:465, or smtp://HOST:587. Telegram needs none. Secrets are asked for, or taken from',
  'BERTH_CHANNEL_SECRET.',
]
const setNotes = [
  'BERTH_CHANNEL_URL is used only with --url, and BERTH_CHANNEL_SECRET only with --secret or --user. A URL of another',
  'server needs --secret too, if the channel has a secret.',
]

const commands: CommandDeclaration[] = [
  {
    name: 'ls',
    description: 'list channels, and whether their messages arrive',
    examples: ['berth channel ls'],
    run: list,
  },
  {
    name: 'add',
    description: 'add a channel',
    arguments: [['<name>', 'the name of the channel']],
    options: [
      choiceOption('--type <type>', 'what receives the messages', types).makeOptionMandatory(),
      ...optionsFor(true),
    ],
    notes: addNotes,
    examples: [
      'berth channel add ops --type slack',
      'berth channel add mail --type email --from berth@example.org --to ops@example.org --user berth',
    ],
    run: add,
  },
  {
    name: 'set',
    description: 'change a channel; what is not given stays as it is',
    arguments: [channelArgument],
    options: [
      ...optionsFor(false),
      ['--name <name>', 'another name'],
      ['--url', 'ask for another URL'],
      ['--off', 'make and send no messages'],
      ['--on', 'make and send messages again'],
    ],
    notes: setNotes,
    examples: ['berth channel set ops --severity critical', 'berth channel set ops --project shop --off'],
    run: set,
  },
  {
    name: 'test',
    description: 'send a test message now',
    arguments: [channelArgument],
    examples: ['berth channel test ops'],
    run: test,
  },
  {
    name: 'rm',
    description: 'remove a channel with its waiting messages',
    arguments: [channelArgument],
    examples: ['berth channel rm ops'],
    run: remove,
  },
]

export const channelGroup: GroupDeclaration = {
  name: 'channel',
  description: 'manage where Berth sends messages about what needs attention',
  examples: ['berth channel add ops --type slack', 'berth channel test ops'],
  commands,
}

const findChannel = async (client: ReturnType<Session['open']>, name: string): Promise<Channel> =>
  findNamed('channel', name, await client.channel.all(), (each) => [each.name, each.channelId])

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const client = open(options)
  const all = await client.channel.all()
  const projects = all.some(({ projectIds }) => projectIds !== null) ? await client.project.all() : []
  const projectNames = new Map(projects.map(({ projectId, name }) => [projectId, name]))
  return {
    json: all,
    show() {
      if (all.length === 0) output.remark('There are no channels. Add one: berth channel add --help')
      output.table(
        ['name', 'type', 'server', 'severity', 'only', 'repeat', 'last success', 'waiting', 'last error'],
        all.map((each) => [
          each.name,
          each.type,
          each.server,
          each.enabled ? each.minSeverity : 'disabled',
          limitText(each, projectNames),
          each.repeatHours === null ? 'never' : `${each.repeatHours} h`,
          readableTime(each.lastSuccessAt),
          String(each.queued),
          hasFailedLast(each) ? each.lastError! : '-',
        ]),
      )
    },
  }
}

const maxShownProjects = 2

/** The projects and the conditions to which the channel is limited. */
function limitText({ projectIds, conditions }: Channel, projectNames: ReadonlyMap<string, string>): string {
  const names = (projectIds ?? []).map((id) => projectNames.get(id) ?? 'a removed project')
  const rest = names.length - maxShownProjects
  const projects = names.slice(0, maxShownProjects).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
  const limits = conditions?.length === 1 ? conditions[0] : conditions && `${conditions.length} conditions`
  return [projects, limits].filter(Boolean).join('; ') || '-'
}

const hasFailedLast = ({ lastErrorAt, lastSuccessAt }: Channel) =>
  lastErrorAt !== null && (lastSuccessAt === null || lastErrorAt > lastSuccessAt)

/** The fields that the options name. `all` takes a limit away. */
async function fieldsOf(client: ReturnType<Session['open']>, options: ChannelOptions) {
  const { severity, project, condition, repeat, user, from, to } = options
  return {
    ...given('minSeverity', severity),
    ...given('repeatHours', repeat === 'never' ? null : optionalNumber('--repeat', repeat)),
    ...given('projectIds', project && (isAll('--project', project) ? null : await projectIds(client, project))),
    ...given('conditions', condition && (isAll('--condition', condition) ? null : condition)),
    ...given('username', user),
    ...given('sender', from),
    ...given('recipients', to),
  }
}

/** Whether the values are the word `all`. @throws CommandError if it is one of several */
function isAll(option: string, values: readonly string[] = []): boolean {
  if (!values.includes('all')) return false
  if (values.length > 1) throw new CommandError('usage', `${option} all cannot be combined with others`)
  return true
}

const askUrl = ({ env }: Session, type: Type) => askSecret(env, 'BERTH_CHANNEL_URL', urlNames[type])
const askChannelSecret = ({ env }: Session, type: Type) => askSecret(env, 'BERTH_CHANNEL_SECRET', secretNames[type])

async function add(session: Session, options: AddOptions, name: string): Promise<Outcome> {
  const client = session.open(options)
  const { type, user, secret } = options
  const fields = await fieldsOf(client, options)
  const url = type === 'telegram' ? (session.env.BERTH_CHANNEL_URL ?? telegramUrl) : await askUrl(session, type)
  const needsSecret = type === 'telegram' || user !== undefined || secret === true
  const asked = needsSecret ? await askChannelSecret(session, type) : null
  const created = await client.channel.create({ name, type, url, secret: asked, ...fields })
  return changeOutcome(session, created, `Added ${name}. Send a test message: berth channel test ${shellWord(name)}`)
}

function changeOutcome({ output }: Session, channel: { signingSecret: string | null }, text: string): Outcome {
  const { signingSecret } = channel
  return {
    json: channel,
    show() {
      output.line(text)
      if (signingSecret !== null) output.line(`Signing secret, shown only now: ${signingSecret}`)
    },
  }
}

async function set(session: Session, options: SetOptions, name: string): Promise<Outcome> {
  const client = session.open(options)
  const { channelId } = await findChannel(client, name)
  if (options.on === true && options.off === true) throw new CommandError('usage', 'Give either --on or --off')
  let etag = ''
  const { type, ...before } = await client.channel.one(
    { channelId },
    { onHeaders: (headers) => (etag = headers.get('etag') ?? '') },
  )
  const needsSecret = options.secret === true || options.user !== undefined
  const changes = {
    ...(await fieldsOf(client, options)),
    ...given('name', options.name),
    ...given('enabled', options.on ?? (options.off === true ? false : undefined)),
    ...given('url', options.url === true ? await askUrl(session, type) : undefined),
    ...given('secret', needsSecret ? await askChannelSecret(session, type) : undefined),
  }
  if (Object.keys(changes).length === 0) {
    throw new CommandError('usage', 'Nothing to change. Give at least one option: berth channel set --help')
  }
  const { url, secret, username, sender, recipients, minSeverity, projectIds, conditions, repeatHours, enabled } =
    before
  const stored = { name: before.name, url, secret, username, sender, recipients, minSeverity, projectIds, conditions }
  const input = { channelId, type, ...stored, repeatHours, enabled, ...changes }
  const changed = await client.channel.update(input, { headers: { 'if-match': etag } })
  return changeOutcome(session, changed, `Changed ${changed.name}.`)
}

const telegramUrl = 'https://api.telegram.org'

const urlNames: Record<Type, string> = {
  webhook: 'URL',
  slack: 'URL of the incoming webhook',
  discord: 'URL of the webhook',
  telegram: `URL, such as ${telegramUrl}`,
  ntfy: 'URL of the topic, such as https://ntfy.sh/TOPIC',
  email: 'URL of the mail server, such as smtps://mail.example.org:465',
}

const secretNames: Record<Type, string> = {
  webhook: 'Signing secret',
  slack: 'Secret',
  discord: 'Secret',
  telegram: 'Token of the bot',
  ntfy: 'Access token',
  email: 'Password',
}

async function test({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const { channelId, ...channel } = await findChannel(client, name)
  const result = await client.channel.test({ channelId })
  const answer = result.answer === '' ? '' : ` It answered: ${result.answer}`
  return { json: result, show: () => output.line(`${channel.server} accepted the message.${answer}`) }
}

async function remove({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const { channelId, queued, ...channel } = await findChannel(client, name)
  const waiting = queued === 0 ? '' : ` with ${queued} waiting ${queued === 1 ? 'message' : 'messages'}`
  await confirmName(`This removes the channel ${channel.name}${waiting}.`, channel.name, options.yes)
  const removed = await client.channel.remove({ channelId })
  return { json: removed, show: () => output.line(`Removed ${channel.name}.`) }
}
