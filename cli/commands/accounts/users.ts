/** berth user: accounts and invitations. */
import { type CommandDeclaration, type GroupDeclaration, type Outcome, repeatedOption } from '../../command.ts'
import { targetOf } from '../../connection/contexts.ts'
import { CommandError } from '../../exit.ts'
import { findNamed, given } from '../../names.ts'
import { confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { endText, readableTime } from '../../terminal/size.ts'
import { isLoopback } from './login.ts'
import { membershipsOf } from './members.ts'

const commands: CommandDeclaration[] = [
  { name: 'ls', description: 'list accounts and open invitations', examples: ['berth user ls'], run: list },
  {
    name: 'invite',
    description: 'invite a person; prints what the person needs to create the account',
    arguments: [['<address>', 'the e-mail address']],
    options: [
      ['--admin', 'as an administrator'],
      repeatedOption('--project <project:role>', 'only this project, with a role; can be repeated'),
    ],
    notes: ['Without --project, the account reaches all projects. The roles are viewer, developer and owner.'],
    examples: [
      'berth user invite eve@example.org',
      'berth user invite eve@example.org --project shop:developer --project blog:viewer',
      'berth user invite eve@example.org --admin',
    ],
    run: invite,
  },
  {
    name: 'reach',
    description: 'let an account reach all projects, or only those of which it is a member',
    arguments: [
      ['<email>', 'the e-mail address'],
      ['<all|projects>', 'all projects, or only its own'],
    ],
    examples: ['berth user reach eve@example.org projects', 'berth project members shop'],
    run: setReach,
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
        ['e-mail', 'role', 'projects', 'second factor', 'last seen'],
        [
          ...users.map((each) => [
            each.email,
            each.rol,
            each.allProjects === false ? String(each.projects?.length ?? 0) : 'all',
            each.is2FAEnabled ? 'yes' : 'no',
            each.lastSeenAt === null ? 'never' : readableTime(each.lastSeenAt),
          ]),
          ...invitations.map((each) => [
            each.email,
            each.rol,
            each.projects == null ? 'all' : String(each.projects.length),
            '-',
            output.styled('busy', `invited, ${endText(each.expiresAt)}`),
          ]),
        ],
      ),
  }
}

async function invite(
  { open, output, env }: Session,
  options: CommonOptions & { admin?: true; project?: string[] },
  email: string,
): Promise<Outcome> {
  const { url } = targetOf(env, options.context)
  const client = open(options)
  const projects = options.project === undefined ? undefined : await membershipsOf(client, options.project)
  const rol = options.admin === true ? 'admin' : 'user'
  const invitation = await client.user.invite({ email, rol, ...given('projects', projects) })
  return {
    json: invitation,
    show() {
      output.line(`Invited ${invitation.email}. Send this to the person; it ${endText(invitation.expiresAt)}.`)
      output.line()
      output.line(`  berth login ${url} --invitation ${invitation.id}`)
      output.line(`  Token of the invitation: ${invitation.token}`)
      if (isLoopback(new URL(url).hostname)) {
        output.remark('This URL leads to this machine only. For other machines, set BERTH_PUBLIC_URL: docs/tls.md')
      }
    },
  }
}

async function setReach(
  { open, output }: Session,
  options: CommonOptions,
  email: string,
  reach: string,
): Promise<Outcome> {
  if (reach !== 'all' && reach !== 'projects') throw new CommandError('usage', `'${reach}' is neither all nor projects`)
  const client = open(options)
  const { userId } = findNamed('account', email, await client.user.all(), (each) => [each.email, each.userId])
  const user = await client.user.update({ userId, allProjects: reach === 'all' })
  const count = user.projects?.length ?? 0
  const text =
    reach === 'all' ? 'all projects' : `only the ${count} project${count === 1 ? '' : 's'} of which it is a member`
  return { json: user, show: () => output.line(`${user.email} reaches ${text}.`) }
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
