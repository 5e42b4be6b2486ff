/** Random passwords for databases, and berth rotate, which replaces them. */
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, findDatabase, idInput, type Kind, pathOf, shellPathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { performOn, type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'

/** 144 random bits. */
const newPassword = () => Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url')

const newPasswords = (kind: Kind): Record<string, string> => ({
  databasePassword: newPassword(),
  ...(kind === 'mysql' || kind === 'mariadb' ? { databaseRootPassword: newPassword() } : {}),
})

/** The database, the user and random passwords, as the kind needs them. */
export function credentialsFor(kind: Kind, name: string): Record<string, string> {
  const databaseName = name.replace(/[^A-Za-z0-9_]/g, '_')
  if (kind === 'redis') return newPasswords(kind)
  return { ...newPasswords(kind), databaseUser: databaseName, ...(kind === 'mongo' ? {} : { databaseName }) }
}

export const rotateCommand: CommandDeclaration = {
  name: 'rotate',
  description: 'replace the passwords of a database by random ones',
  arguments: [databaseArgument],
  options: waitOptions(),
  notes: [
    'Berth changes the passwords in the running server, without a restart. Connections that are open stay open.',
    'Clients need the new password for their next connection: berth env DATABASE prints it. A stopped database gets',
    'the new passwords with its next deploy. `berth start` uses the old ones, because it repeats the last deploy.',
  ],
  examples: ['berth rotate shop/orders', 'psql "$(berth env shop/orders --url)"'],
  run: rotate,
}

async function rotate(session: Session, options: CommonOptions & WaitOptions, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const path = pathOf(database)
  if (database.pendingChanges && database.applicationStatus !== 'idle') {
    const hint = `Deploy them first: berth deploy ${shellPathOf(database)}`
    throw new CommandError('failed', `${path} has changes that would be deployed, too`, hint)
  }
  const kind = database.databaseType
  const updated = await client.call(`${kind}.update`, { ...idInput(database), ...newPasswords(kind) })
  const isStopped = database.applicationStatus === 'idle'
  const record = isStopped
    ? updated
    : await performOn(session, client, database, 'rotation', seconds, (call) =>
        client.call(`${kind}.deploy`, idInput(database), call),
      )
  const isDone = !isStopped && seconds > 0
  return {
    json: record,
    show() {
      const word = shellPathOf(database)
      if (isDone) session.output.line(`${path} has new passwords. Print them: berth env ${word}`)
      else if (isStopped) {
        session.output.line(`${path} is stopped. Its next deploy sets the new passwords: berth deploy ${word}`)
        session.output.remark(`Until then its server keeps the old passwords, also after berth start ${word}.`)
      } else session.output.line(`The rotation of ${path} has begun.`)
    },
  }
}
