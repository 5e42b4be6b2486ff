/** berth settings: the settings of the installation that are changed while Berth runs. */
import type { Operations } from '../../../client/client.ts'
import { choiceOption, type CommandDeclaration, type GroupDeclaration, type Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'

const option = '--confirm-dangerous-calls <on|off>'

const commands: CommandDeclaration[] = [
  { name: 'show', description: 'show the settings', examples: ['berth settings show'], run: show },
  {
    name: 'set',
    description: 'change the settings',
    options: [
      choiceOption(option, 'whether calls that can destroy data need a code of the second factor', ['on', 'off']),
    ],
    notes: [
      'Needs a session of an administrator that signed in with a second factor, and asks for a code.',
      'In scripts: --confirmation-code.',
    ],
    examples: ['berth settings set --confirm-dangerous-calls on'],
    run: change,
  },
]

export const settingsGroup: GroupDeclaration = {
  name: 'settings',
  description: 'show and change the settings of the installation',
  notes: ['The settings that need a restart are environment variables: see docs/settings.md.'],
  examples: ['berth settings show', 'berth settings set --confirm-dangerous-calls on'],
  commands,
}

type Settings = Awaited<ReturnType<Operations['installation']['settings']>>

const outcomeOf = ({ output }: Session, settings: Settings): Outcome => ({
  json: settings,
  show: () =>
    output.fields([
      ['confirm dangerous calls', settings.confirmDangerousCalls ? 'on' : 'off'],
      ['last change', settings.changedAt === null ? 'never' : readableTime(settings.changedAt)],
    ]),
})

async function show(session: Session, options: CommonOptions): Promise<Outcome> {
  return outcomeOf(session, await session.open(options).installation.settings())
}

async function change(
  session: Session,
  options: CommonOptions & { confirmDangerousCalls?: 'on' | 'off' },
): Promise<Outcome> {
  const { confirmDangerousCalls: state } = options
  if (state === undefined) throw new CommandError('usage', 'Name a setting to change', `For example ${option}`)
  const input = { confirmDangerousCalls: state === 'on' }
  return outcomeOf(session, await session.open(options).installation.updateSettings(input))
}
