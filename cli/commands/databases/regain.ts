/** The command that makes Berth's own account again on a server that lets nobody do this any more. */
import type { CommandDeclaration, Outcome } from '../../command.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { databaseArgument, findDatabase, idInput, pathOf } from '../../databases.ts'
import { performOn, type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { confirmName } from '../../terminal/prompt.ts'

type Options = CommonOptions & WaitOptions

export const regainCommand: CommandDeclaration = {
  name: 'regain-account',
  description: "make Berth's own account on the server again, with two restarts",
  arguments: [databaseArgument],
  options: waitOptions(),
  notes: [
    'For a server on which no account and no socket is left with which Berth could do this (berth status). The server',
    'starts once in its maintenance mode, without clients, and then as usual. If that fails, it starts as before.',
    'Asks for the name of the database first; --yes confirms it in scripts.',
  ],
  examples: ['berth regain-account shop/orders'],
  run: regain,
}

async function regain(session: Session, options: Options, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const path = pathOf(database)
  await confirmName(`This restarts ${path} twice. Clients lose their connections meanwhile.`, path, options.yes)
  const input = { ...idInput(database), confirm: database.appName }
  const answer = await performOn(session, client, database, 'regainAccount', seconds, (call) =>
    client.call(`${database.databaseType}.regainAccount`, input, call),
  )
  const text = seconds > 0 ? `${path} is up again, and Berth has its own account.` : `The work on ${path} has begun.`
  return { json: answer, show: () => session.output.line(text) }
}
