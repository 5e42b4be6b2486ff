/** berth project: the projects that databases belong to. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Operations } from '../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../command.ts'
import { kinds } from '../databases.ts'
import { CommandError } from '../exit.ts'
import { findProject, given } from '../names.ts'
import { goesOn, perform, pollMs, type WaitOptions, waitOptions, waitSecondsOf } from '../progress.ts'
import { confirmName } from '../terminal/prompt.ts'
import type { CommonOptions, Session } from '../connection/session.ts'
import { readableTime } from '../terminal/size.ts'
import { memberCommands } from './accounts/members.ts'
import { allowProjectCommand } from './routing/allow.ts'

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
    options: [['--with-databases', 'remove its databases, too; their volumes are kept'], ...waitOptions()],
    notes: ['Asks for the name of the project first; --yes confirms it in scripts.'],
    examples: ['berth project rm shop', 'berth project rm shop --with-databases --yes'],
    run: remove,
  },
  allowProjectCommand,
  ...memberCommands,
]

export const projectGroup: GroupDeclaration = {
  name: 'project',
  description: 'manage projects',
  examples: ['berth project ls', 'berth project create shop', 'berth project members shop'],
  commands,
}

/** The ids of the databases of a project. */
const idsOf = (project: Project) =>
  kinds.flatMap((kind) => project[kind].map((each) => (each as unknown as Record<string, string>)[`${kind}Id`]!))

const databasesOf = (project: Project) => kinds.flatMap((kind) => project[kind].map(({ name }) => name))

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const projects = await open(options).project.all()
  const isShared = (name: string) => projects.filter((each) => each.name === name).length > 1
  return {
    json: projects,
    show() {
      if (projects.length === 0) output.remark('There are no projects. Create one: berth project create NAME')
      output.table(
        ['name', 'databases', 'created', 'description'],
        projects.map((each) => [
          isShared(each.name) ? `${each.name} (${each.projectId})` : each.name,
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
  session: Session,
  options: CommonOptions & WaitOptions & { withDatabases?: true },
  name: string,
): Promise<Outcome> {
  const { open, output } = session
  const seconds = waitSecondsOf(options)
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
  if (databases.length > 0 && seconds > 0) await waitForRemovals(session, client, project, seconds)
  const kept = databases.length === 0 ? '' : ' The volumes of its databases are kept: berth volume ls --kept.'
  return { json: removed, show: () => output.line(`Removed the project ${project.name}.${kept}`) }
}

/** The API removes a project at once. The services of its databases end later. */
function waitForRemovals(session: Session, client: Client, project: Project, seconds: number): Promise<void> {
  const work = { name: `removal of the databases of ${project.name}`, follow: 'berth history' }
  const end = performance.now() + seconds * 1000
  return perform(session, work, seconds, async ({ signal }) => {
    for (const serviceId of idsOf(project)) {
      for (;;) {
        const running = await client.deployment.all(
          { serviceId, state: 'running' },
          signal === undefined ? {} : { signal },
        )
        if (running.length === 0) break
        if (performance.now() > end) throw goesOn('pending', `The ${work.name} goes on.`, work)
        await pause(pollMs, undefined, { signal })
      }
    }
  })
}
