/** berth clock: whether Berth trusts the clock of its machine. */
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { confirmName } from '../../terminal/prompt.ts'

const commands: CommandDeclaration[] = [
  { name: 'show', description: 'show whether Berth trusts the clock', examples: ['berth clock show'], run: show },
  {
    name: 'trust',
    description: 'trust the clock again, after you have compared it',
    notes: [
      'Sends the time of this computer. Berth refuses it if the clock of its machine differs by more than five minutes.',
    ],
    examples: ['berth clock trust', 'berth clock trust --yes'],
    run: trust,
  },
]

export const clockGroup: GroupDeclaration = {
  name: 'clock',
  description: "the clock of Berth's machine",
  notes: ['While Berth does not trust the clock, it deletes nothing for its age: no dumps, sessions or audit entries.'],
  examples: ['berth clock show', 'berth clock trust'],
  commands,
}

async function show({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const clock = await open(options).clock.status()
  return {
    json: clock,
    show: () =>
      output.fields([
        ['time', clock.time],
        ['expected', clock.expected],
        ['trusted', clock.trusted ? output.styled('good', 'yes') : output.styled('bad', 'no')],
        ['reason', clock.reason],
      ]),
  }
}

async function trust({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const client = open(options)
  const { time, reason } = await client.clock.status()
  const compared = `The machine of Berth says that it is ${time}. Compare this with another clock.`
  await confirmName(reason === null ? compared : `${reason}.\n${compared}`, 'clock', options.yes)
  const clock = await client.clock.trust({ time: new Date().toISOString() })
  return { json: clock, show: () => output.line('Berth trusts the clock.') }
}
