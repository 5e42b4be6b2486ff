/** berth user, berth token and berth audit. */
import type { Command } from 'commander'
import { findNamed } from '../names.ts'
import { confirmName } from '../prompt.ts'
import type { CommonOptions, Session } from '../session.ts'
import { readableTime } from '../size.ts'

export function addAccounts(program: Command, session: Session): void {
  const user = program.command('user').description('manage accounts')
  user
    .command('ls')
    .description('list accounts')
    .action((_, command: Command) => listUsers(session, command.optsWithGlobals()))
  user
    .command('invite')
    .argument('<email>', 'the e-mail address')
    .description('invite somebody; the answer has the token of the invitation')
    .option('--admin', 'as an administrator')
    .action((email: string, _, command: Command) => invite(session, email, command.optsWithGlobals()))
  user
    .command('rm')
    .argument('<email>', 'the e-mail address')
    .description('remove an account with its sessions and tokens')
    .action((email: string, _, command: Command) => removeUser(session, email, command.optsWithGlobals()))
  const token = program.command('token').description('manage your API tokens')
  token
    .command('ls')
    .description('list your API tokens')
    .action((_, command: Command) => listTokens(session, command.optsWithGlobals()))
  token
    .command('create')
    .argument('<name>', 'what the token is for')
    .description('create an API token, and print it once')
    .requiredOption('--scope <scope>', 'read, deploy or admin')
    .option('--expires <time>', 'when it ends, in ISO 8601')
    .action((name: string, _, command: Command) => createToken(session, name, command.optsWithGlobals()))
  token
    .command('rm')
    .argument('<name>', 'the name or the id of the token')
    .description('revoke an API token')
    .action((name: string, _, command: Command) => removeToken(session, name, command.optsWithGlobals()))
  program
    .command('audit')
    .description('list changes and refused calls, newest first')
    .option('--limit <count>', 'how many entries (50)')
    .option('--since <time>', 'leave out older entries: 2030-01-31T12:00:00Z, or 90s, 15m, 2h, 3d')
    .option('--operation <name>', 'only calls of this operation')
    .action((_, command: Command) => audit(session, command.optsWithGlobals()))
}

async function listUsers({ open, output }: Session, options: CommonOptions): Promise<void> {
  const client = open(options)
  const users = await client.user.all()
  if (options.json === true) return output.json(users)
  output.table(
    ['e-mail', 'role', 'id'],
    users.map((each) => [each.email, each.rol, each.userId]),
  )
}

async function invite(
  { open, output }: Session,
  email: string,
  options: CommonOptions & { admin?: boolean },
): Promise<void> {
  const invitation = await open(options).user.invite({ email, rol: options.admin === true ? 'admin' : 'user' })
  if (options.json === true) return output.json(invitation)
  output.line(`Invited ${email}. The invitation ends ${readableTime(invitation.expiresAt)}.`)
  output.fields([
    ['id', invitation.id],
    ['token', invitation.token],
  ])
}

async function removeUser({ open, output }: Session, email: string, options: CommonOptions): Promise<void> {
  const client = open(options)
  const account = findNamed('account', email, await client.user.all(), (each) => [each.email, each.userId])
  await confirmName(
    `This removes the account ${account.email} with its sessions and tokens.`,
    account.email,
    options.yes,
  )
  await client.user.remove({ userId: account.userId })
  output.line(`Removed ${account.email}.`)
}

async function listTokens({ open, output }: Session, options: CommonOptions): Promise<void> {
  const tokens = await open(options).auth.tokens()
  if (options.json === true) return output.json(tokens)
  if (tokens.length === 0)
    return output.note('You have no API tokens. Create one: berth token create NAME --scope read')
  output.table(
    ['name', 'scope', 'created', 'used', 'ends', 'id'],
    tokens.map((each) => [
      each.name ?? '-',
      each.scope,
      readableTime(each.createdAt),
      readableTime(each.lastUsedAt),
      each.expiresAt === null ? 'never' : readableTime(each.expiresAt),
      each.tokenId,
    ]),
  )
}

async function createToken(
  { open, output }: Session,
  name: string,
  { scope, expires, ...options }: CommonOptions & { scope: string; expires?: string },
): Promise<void> {
  const created = await open(options).auth.createToken({
    name,
    scope: scope as 'read',
    ...(expires === undefined ? {} : { expiresAt: expires }),
  })
  if (options.json === true) return output.json(created)
  output.note('This token is shown once.')
  output.line(created.token)
}

async function removeToken({ open, output }: Session, name: string, options: CommonOptions): Promise<void> {
  const client = open(options)
  const token = findNamed('API token', name, await client.auth.tokens(), (each) => [
    each.name ?? each.tokenId,
    each.tokenId,
  ])
  await client.auth.revokeToken({ tokenId: token.tokenId })
  output.line(`Revoked ${token.name ?? token.tokenId}.`)
}

async function audit(
  { open, output }: Session,
  { limit, since, operation, ...options }: CommonOptions & { limit?: string; since?: string; operation?: string },
): Promise<void> {
  const entries = await open(options).audit.all({
    order: 'desc',
    limit: limit === undefined ? 50 : Number(limit),
    ...(since === undefined ? {} : { since }),
    ...(operation === undefined ? {} : { operation }),
  })
  if (options.json === true) return output.json(entries)
  output.table(
    ['when', 'who', 'operation', 'record', 'result'],
    entries.map((each) => [
      each.at.slice(0, 19),
      each.email ?? each.kind,
      each.operation,
      each.record ?? '-',
      output.styled(each.result === 'OK' ? 'good' : 'bad', each.result),
    ]),
  )
}
