/** berth project: the projects that databases belong to. */
import type { Operations } from '../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../command.ts'
import { kinds } from '../databases.ts'
import { CommandError } from '../exit.ts'
import { findProject, given } from '../names.ts'
import { confirmName } from '../terminal/prompt.ts'
import type { CommonOptions, Session } from '../connection/session.ts'
import { readableTime } from '../terminal/size.ts'

type Project = Awaited<ReturnType<Operations['project']['all']>>[number]

const projectArgument = ['<project>', 'the name or the id of the project'] as const

const commands: CommandDeclaration[] = [
  { name: 'ls', description: 'list projects', examples: ['berth project ls'], run: list },
  {
    name: 'create',
    description: 'create a project',
    arguments: [['<name>', 'the name of the project']],
    options: [['--description <text>', 'a text for people']],
    examples: ["berth project create shop --description 'The web shop'"],
    run: create,
  },
  {
    name: 'rename',
    description: 'give a project another name',
    arguments: [projectArgument, ['<name>', 'the new name']],
    examples: ['berth project rename shop store'],
    run: rename,
  },
  {
    name: 'rm',
    description: 'remove a project',
    arguments: [projectArgument],
    options: [['--with-databases', 'remove its databases, too; their volumes are kept']],
    notes: ['Asks for the name of the project first; --yes confirms it in scripts.'],
    examples: ['berth project rm shop', 'berth project rm shop --with-databases --yes'],
    run: remove,
  },
]

export const projectGroup: GroupDeclaration = {
  name: 'project',
  description: 'manage projects',
  examples: ['berth project ls', 'berth project create shop'],
  commands,
}

const databasesOf = (project: Project) => kinds.flatMap((kind) => project[kind].map(({ name }) => name))

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const projects = await open(options).project.all()
  return {
    json: projects,
    show() {
      if (projects.length === 0) output.remark('There are no projects. Create one: berth project create NAME')
      output.table(
        ['name', 'databases', 'created', 'description'],
        projects.map((each) => [
          each.name,
          databasesOf(each).join(', ') || '-',
          readableTime(each.createdAt),
          each.description ?? '',
        ]),
      )
    },
  }
}

async function create(
  { open, output }: Session,
  options: CommonOptions & { description?: string },
  name: string,
): Promise<Outcome> {
  const created = await open(options).project.create({ name, ...given('description', options.description) })
  return { json: created, show: () => output.line(`Created the project ${created.name}.`) }
}

async function rename({ open, output }: Session, options: CommonOptions, old: string, name: string): Promise<Outcome> {
  const client = open(options)
  const { projectId, ...project } = await findProject(client, old)
  const renamed = await client.project.update({ projectId, name, description: project.description ?? '' })
  return { json: renamed, show: () => output.line(`${project.name} is now called ${name}.`) }
}

async function remove(
  { open, output }: Session,
  options: CommonOptions & { withDatabases?: true },
  name: string,
): Promise<Outcome> {
  const client = open(options)
  const project = await findProject(client, name)
  const databases = databasesOf(project)
  const cascade = options.withDatabases === true
  if (databases.length > 0 && !cascade) {
    const hint = 'Remove them first, or give --with-databases'
    throw new CommandError('failed', `${project.name} has databases: ${databases.join(', ')}`, hint)
  }
  const effect =
    databases.length === 0
      ? `This removes the project ${project.name}.`
      : `This removes the project ${project.name} and its databases: ${databases.join(', ')}. Their volumes are kept.`
  await confirmName(effect, project.name, options.yes)
  const removed = await client.project.remove({ projectId: project.projectId, cascade })
  return { json: removed, show: () => output.line(`Removed the project ${project.name}.`) }
}
