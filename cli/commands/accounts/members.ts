/** berth project members and the other commands for the members of a project. */
import type { Client, Operations } from '../../../client/client.ts'
import { choiceOption, type CommandDeclaration, type Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import { findNamed, findProject, projectIds } from '../../names.ts'
import { suggestion } from '../../nearest.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'

export const roles = ['viewer', 'developer', 'owner'] as const
export type Role = (typeof roles)[number]

type Member = Awaited<ReturnType<Operations['project']['members']>>[number]

const projectArgument = ['<project>', 'the name or the id of the project'] as const
const emailArgument = ['<email>', 'the e-mail address of the account'] as const
const roleOption = () =>
  choiceOption('--role <role>', 'viewer, developer or owner (docs/accounts.md)', roles).makeOptionMandatory()

/** Commands of the group `project`. */
export const memberCommands: CommandDeclaration[] = [
  {
    name: 'members',
    description: 'list the members of a project with their roles',
    arguments: [projectArgument],
    examples: ['berth project members shop'],
    run: list,
  },
  {
    name: 'add-member',
    description: 'make an account a member of a project',
    arguments: [projectArgument, emailArgument],
    options: [roleOption()],
    examples: ['berth project add-member shop eve@example.org --role developer'],
    run: add,
  },
  {
    name: 'set-role',
    description: 'change the role of a member of a project',
    arguments: [projectArgument, emailArgument],
    options: [roleOption()],
    examples: ['berth project set-role shop eve@example.org --role owner'],
    run: change,
  },
  {
    name: 'rm-member',
    description: 'remove a member from a project; the account stays',
    arguments: [projectArgument, emailArgument],
    examples: ['berth project rm-member shop eve@example.org'],
    run: remove,
  },
]

async function list({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const { projectId, name: project } = await findProject(client, name)
  const members = await client.project.members({ projectId })
  return {
    json: members,
    show() {
      if (members.length === 0) output.remark(`${project} has no members. Accounts that reach all projects can use it.`)
      output.table(
        ['e-mail', 'role', 'since'],
        members.map(({ email, role, createdAt }) => [email, role, readableTime(createdAt)]),
      )
    },
  }
}

interface RoleOptions extends CommonOptions {
  role: Role
}

async function add(session: Session, options: RoleOptions, name: string, email: string): Promise<Outcome> {
  const client = session.open(options)
  const { projectId, name: project } = await findProject(client, name)
  return present(session, project, await client.project.addMember({ projectId, email, role: options.role }))
}

async function change(session: Session, options: RoleOptions, name: string, email: string): Promise<Outcome> {
  const client = session.open(options)
  const { projectId, accountId, project } = await findMember(client, name, email)
  return present(session, project, await client.project.updateMember({ projectId, accountId, role: options.role }))
}

const present = ({ output }: Session, project: string, member: Member): Outcome => ({
  json: member,
  show: () => output.line(`${member.email} is ${member.role} of ${project}.`),
})

async function remove(
  { open, output }: Session,
  options: CommonOptions,
  name: string,
  email: string,
): Promise<Outcome> {
  const client = open(options)
  const { projectId, accountId, project } = await findMember(client, name, email)
  const member = await client.project.removeMember({ projectId, accountId })
  return { json: member, show: () => output.line(`${member.email} is no member of ${project} any more.`) }
}

async function findMember(client: Client, name: string, email: string): Promise<Member & { project: string }> {
  const { projectId, name: project } = await findProject(client, name)
  const members = await client.project.members({ projectId })
  return { ...findNamed('member', email, members, (each) => [each.email, each.accountId]), project }
}

/** Reads texts such as `shop:developer`. */
export async function membershipsOf(client: Client, texts: readonly string[]) {
  const pairs = texts.map((text) => {
    const at = text.lastIndexOf(':')
    const role = roles.find((each) => each === text.slice(at + 1))
    if (at > 0 && role !== undefined) return { name: text.slice(0, at), role }
    const near = at > 0 ? suggestion(text.slice(at + 1), roles) : ''
    throw new CommandError(
      'usage',
      `--project: '${text}' must be a project and a role, like shop:developer. ${near}`.trim(),
    )
  })
  const ids = await projectIds(
    client,
    pairs.map(({ name }) => name),
  )
  return pairs.map(({ role }, at) => ({ projectId: ids[at]!, role }))
}
