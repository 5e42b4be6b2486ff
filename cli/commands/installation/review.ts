/** berth state differences and review: compare a restored state with what runs, and confirm it. */
import type { Client, Operations } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { CommandError } from '../../exit.ts'
import { perform, type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import type { Output } from '../../terminal/output.ts'
import { ask, askSecret } from '../../terminal/prompt.ts'
import { readableTime } from '../../terminal/size.ts'

type Differences = Awaited<ReturnType<Operations['state']['differences']>>
type Entry = Differences['entries'][number]
type Decision = NonNullable<Entry['proposal']>
type Input = Parameters<Operations['state']['confirm']>[0]
type Adoptions = NonNullable<Input['adoptions']>

export const reviewCommands: CommandDeclaration[] = [
  {
    name: 'differences',
    description: 'compare a restored state with what runs',
    examples: ['berth state differences'],
    run: differences,
  },
  {
    name: 'review',
    description: 'decide about the differences of a restored state, and confirm it',
    notes: [
      'Until then Berth changes nothing. The command asks about each difference, or takes what Berth proposes (--yes).',
      'It needs a code that `berth state code` prints on the machine of Berth; without a terminal, set',
      'BERTH_CONFIRMATION_CODE.',
      'A service that the state does not know can be adopted with the credentials of its server: the command asks for',
      'them. Scripts pass the decisions and `adoptions` to `berth api state.confirm --input FILE`.',
    ],
    options: waitOptions(),
    examples: ['berth state review', 'berth state review --yes'],
    run: review,
  },
]

const isOpen = ({ decisions }: Entry) => decisions.length > 0

async function differences({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const found = await open(options).state.differences()
  return { json: found, show: () => showDifferences(output, found) }
}

function showDifferences(output: Output, { unconfirmedSince, entries }: Differences) {
  if (unconfirmedSince === null) return output.line('The state is confirmed.')
  const equal = entries.length - entries.filter(isOpen).length
  output.line(`The state was restored ${readableTime(unconfirmedSince)} and is not confirmed. Berth changes nothing.`)
  output.line(`As recorded: ${equal} of ${entries.length}.`)
  output.table(
    ['name', 'difference', 'decisions', 'proposal'],
    entries
      .filter(isOpen)
      .map(({ name, reason, decisions, proposal }) => [name, reason, decisions.join(' '), proposal!]),
  )
}

async function review(session: Session, options: CommonOptions & WaitOptions): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const { open, output, env } = session
  const client = open(options)
  const found = await client.state.differences()
  if (found.unconfirmedSince === null) {
    return { json: { decided: [] }, show: () => output.line('The state is confirmed already.') }
  }
  const decided = options.yes === true ? { takeProposals: true } : await askAll(session, found)
  const code = await askSecret(env, 'BERTH_CONFIRMATION_CODE', 'Code of berth state code')
  return confirm(session, client, seconds, { code, version: found.version, ...decided })
}

/** Waits for the databases that are created, started or removed. */
async function confirm(session: Session, client: Client, seconds: number, input: Input): Promise<Outcome> {
  const { output } = session
  const work = { name: 'confirmation of the state', follow: 'berth ls, or berth events' }
  const answer = await perform(session, work, seconds, (options) => client.state.confirm(input, options))
  return {
    json: answer,
    show() {
      output.table(
        ['name', 'decision'],
        answer.decided.map(({ name, decision }) => [name, decision]),
      )
      output.line('The state is confirmed. Berth works again.')
    },
  }
}

async function askAll({ output, env }: Session, found: Differences): Promise<Pick<Input, 'decisions' | 'adoptions'>> {
  showDifferences(output, found)
  const decisions: Record<string, Decision> = {}
  const adoptions: Adoptions = {}
  for (const entry of found.entries.filter(isOpen)) {
    const decision = await askOne(entry)
    decisions[entry.subjectId] = decision
    if (decision === 'adopt' && entry.credentials.length > 0) {
      adoptions[entry.subjectId] = await askCredentials(env, entry)
    }
  }
  return { decisions, adoptions }
}

/** What the server of the service accepts now. */
async function askCredentials(env: NodeJS.ProcessEnv, { name: service, credentials }: Entry) {
  const answers: Record<string, string> = {}
  for (const { name, isSecret } of credentials) {
    answers[name] = isSecret
      ? await askSecret(env, variableOf(name), `${name} of ${service}`)
      : (await ask(`${name} of ${service}: `)).trim()
  }
  return answers
}

/** databaseRootPassword: BERTH_DATABASE_ROOT_PASSWORD, as in `berth new`. */
const variableOf = (name: string) => `BERTH_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

/** An empty answer takes the proposal. */
async function askOne({ name, decisions, proposal }: Entry): Promise<Decision> {
  const answer = (await ask(`${name}: ${decisions.join(' or ')} (${proposal}): `)).trim()
  const decision = answer === '' ? proposal : decisions.find((each) => each === answer)
  if (decision != null) return decision
  throw new CommandError('usage', `'${answer}' is not one of ${decisions.join(', ')}. Nothing was changed`)
}
