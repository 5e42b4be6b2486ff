/** berth user: accounts and invitations. */
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { targetOf } from '../../connection/contexts.ts'
import { findNamed } from '../../names.ts'
import { confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'
import { proofNote, withProof } from './proof.ts'

const commands: CommandDeclaration[] = [
  { name: 'ls', description: 'list accounts and open invitations', examples: ['berth user ls'], run: list },
  {
    name: 'invite',
    description: 'invite a person; prints what the person needs to create the account',
    arguments: [['<address>', 'the e-mail address']],
    options: [['--admin', 'as an administrator']],
    notes: [`With --admin: ${proofNote[0]!.toLowerCase()}${proofNote.slice(1)}`],
    examples: ['berth user invite eve@example.org', 'berth user invite eve@example.org --admin'],
    run: invite,
  },
  {
    name: 'rm',
    description: 'remove an account with its sessions and tokens, or an open invitation',
    arguments: [['<email>', 'the e-mail address']],
    notes: ['Asks for the address first; --yes confirms it in scripts.'],
    examples: ['berth user rm eve@example.org'],
    run: remove,
  },
]

export const userGroup: GroupDeclaration = {
  name: 'user',
  description: 'manage accounts',
  examples: ['berth user ls', 'berth user invite eve@example.org'],
  commands,
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const client = open(options)
  const users = await client.user.all()
  const invitations = await client.user.invitations()
  return {
    json: { users, invitations },
    show: () =>
      output.table(
        ['e-mail', 'role', 'second factor', 'last seen'],
        [
          ...users.map((each) => [
            each.email,
            each.rol,
            each.is2FAEnabled ? 'yes' : 'no',
            each.lastSeenAt === null ? 'never' : readableTime(each.lastSeenAt),
          ]),
          ...invitations.map((each) => [
            each.email,
            each.rol,
            '-',
            output.styled('busy', `invited, ends ${readableTime(each.expiresAt)}`),
          ]),
        ],
      ),
  }
}

async function invite(session: Session, options: CommonOptions & { admin?: true }, email: string): Promise<Outcome> {
  const { open, output, env } = session
  const { url } = targetOf(env, options.context)
  const { user } = open(options)
  const rol = options.admin === true ? 'admin' : 'user'
  const invitation = await withProof(session, (proof) => user.invite({ email, rol, ...proof }))
  return {
    json: invitation,
    show() {
      output.line(
        `Invited ${invitation.email}. Send this to the person; it ends ${readableTime(invitation.expiresAt)}.`,
      )
      output.line()
      output.line(`  berth login ${url} --invitation ${invitation.id}`)
      output.line(`  Token of the invitation: ${invitation.token}`)
    },
  }
}

async function remove({ open, output }: Session, options: CommonOptions, email: string): Promise<Outcome> {
  const client = open(options)
  const invitations = await client.user.invitations()
  const people = [
    ...(await client.user.all()).map((each) => ({ ...each, invitationId: null })),
    ...invitations.map((each) => ({ ...each, userId: each.id, invitationId: each.id })),
  ]
  const found = findNamed('account', email, people, (each) => [each.email, each.userId])
  const isInvitation = found.invitationId !== null
  const effect = isInvitation
    ? `This ends the invitation of ${found.email}.`
    : `This removes the account ${found.email} with its sessions and tokens.`
  await confirmName(effect, found.email, options.yes)
  const removed = isInvitation
    ? await client.user.revokeInvitation({ id: found.userId })
    : await client.user.remove({ userId: found.userId })
  return { json: removed, show: () => output.line(`Removed ${found.email}.`) }
}
