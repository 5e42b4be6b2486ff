/** berth route allow and berth project allow: who may connect to ports. */
import type { CommandDeclaration, Outcome } from '../../command.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { CommandError } from '../../exit.ts'
import { findNamed, findProject } from '../../names.ts'
import { perform, type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'

const sourceArgument = ['<source...>', 'addresses and networks, such as 192.0.2.7 or 10.0.0.0/8; or everyone'] as const

export const allowPortCommand: CommandDeclaration = {
  name: 'allow',
  description: 'say from where clients may connect to a published port',
  arguments: [['<port>', 'the published port: 8080 or 5353/udp'], sourceArgument],
  options: [...waitOptions()],
  notes: ['The list replaces the former one. The gateway of a UDP port restarts.'],
  examples: ['berth route allow 8080 203.0.113.7 198.51.100.0/24', 'berth route allow 5353/udp everyone'],
  run: allowPort,
}

export const allowProjectCommand: CommandDeclaration = {
  name: 'allow',
  description: 'say from where clients may connect to the databases of a project',
  arguments: [['<project>', 'the name or the id of the project'], sourceArgument],
  notes: ['The list applies to databases that have none of their own (berth set NAME --allow-from project).'],
  examples: ['berth project allow shop 203.0.113.7 198.51.100.0/24', 'berth project allow shop everyone'],
  run: allowProject,
}

/** @throws CommandError if the word for an empty list is one of several sources */
function listOf(sources: string[]): string[] {
  if (!sources.includes('everyone')) return sources
  if (sources.length > 1) throw new CommandError('usage', 'everyone cannot be combined with other sources')
  return []
}

const textOf = (sources: readonly string[] | undefined) => sources?.join(', ') || 'everyone'

async function allowPort(
  session: Session,
  options: CommonOptions & WaitOptions,
  name: string,
  sources: string[],
): Promise<Outcome> {
  const allowedSources = listOf(sources)
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const port = findNamed('published port', name, await client.port.all(), ({ publishedPort, protocol, portId }) => [
    ...(protocol === 'tcp' ? [String(publishedPort)] : []),
    `${publishedPort}/${protocol}`,
    portId,
  ])
  const { portId, publishedPort, targetPort, protocol } = port
  const input = { portId, publishedPort, targetPort, protocol, allowedSources }
  const work = { name: `change of port ${publishedPort}`, follow: `berth route ls ${port.applicationId}` }
  const changed = await perform(session, work, seconds, (call) => client.port.update(input, call))
  const text = `Port ${publishedPort}/${protocol} accepts connections from ${textOf(changed.allowedSources)}.`
  return { json: changed, show: () => session.output.line(text) }
}

async function allowProject(
  { open, output }: Session,
  options: CommonOptions,
  name: string,
  sources: string[],
): Promise<Outcome> {
  const allowedSources = listOf(sources)
  const client = open(options)
  const project = await findProject(client, name)
  const changed = await client.project.update({ projectId: project.projectId, name: project.name, allowedSources })
  const text = `Databases of ${project.name} without a list of their own accept connections from `
  return { json: changed, show: () => output.line(`${text}${textOf(changed.allowedSources)}.`) }
}
