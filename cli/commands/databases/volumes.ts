/** berth volume: the volumes with the data of databases, also of removed ones. */
import type { Client, Operations } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { checkNewName, databaseArgument, findDatabase, pathOf, shellPathOf } from '../../databases.ts'
import { CommandError } from '../../exit.ts'
import { findNamed, findProject, given } from '../../names.ts'
import { confirmName } from '../../terminal/prompt.ts'
import { perform, performOn, type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'

type Volume = Awaited<ReturnType<Operations['volume']['all']>>[number]

const volumeArgument = ['<volume>', 'the id or the name of the volume, or the appName of its last database'] as const

interface RestoreOptions extends CommonOptions {
  project: string
  name?: string
  appName?: string
}

const commands: CommandDeclaration[] = [
  {
    name: 'ls',
    description: 'list volumes; those of removed databases are `kept`',
    options: [['--kept', 'only volumes of removed databases']],
    examples: ['berth volume ls', 'berth volume ls --kept'],
    run: list,
  },
  {
    name: 'restore',
    description: 'create a database on a kept volume, with the credentials of its data',
    arguments: [volumeArgument],
    options: [
      ['--project <name>', 'the project of the database'],
      ['--name <name>', 'the name of the database (the last appName)'],
      ['--app-name <name>', 'the host name of the database for clients in the swarm (the last one, if it is free)'],
    ],
    examples: ['berth volume restore shop-orders --project shop --name orders', 'berth deploy shop/orders'],
    run: restore,
  },
  {
    name: 'adopt',
    description: 'copy the volume of another system to a new database, and deploy the database',
    arguments: [['<docker-volume>', 'the name of the volume, as docker volume ls shows it'], databaseArgument],
    options: [['--node <node>', 'the node with the volume (the only one that has it)'], ...waitOptions()],
    notes: [
      'Create the database first, with the image, the names and the passwords of the old server.',
      'Stop the old server before the copy. Its volume stays as it is.',
    ],
    examples: ['berth volume adopt postgres-data-k8s0w4 shop/orders'],
    run: adopt,
  },
  {
    name: 'rm',
    description: 'delete a kept volume with its data',
    arguments: [volumeArgument],
    options: waitOptions(),
    notes: ['Asks for the name of the volume first; --yes confirms it in scripts.'],
    examples: ['berth volume rm shop-orders', 'berth volume rm shop-orders --yes'],
    run: remove,
  },
]

export const volumeGroup: GroupDeclaration = {
  name: 'volume',
  description: 'manage the volumes with data',
  examples: ['berth volume ls --kept', 'berth volume rm shop-orders'],
  commands,
}

const findVolume = async (client: Client, name: string): Promise<Volume> => {
  const volumes = await client.volume.all()
  const kept = volumes.filter(({ state }) => state === 'kept')
  const attached = volumes.find((each) => each.state === 'attached' && [each.name, each.volumeId].includes(name))
  if (attached !== undefined) {
    throw new CommandError(
      'failed',
      `${attached.appName} uses the volume ${attached.name}. Only kept volumes can be used`,
    )
  }
  return findNamed('kept volume', name, kept, (each) => [each.appName, each.name, each.volumeId])
}

async function list({ open, output }: Session, options: CommonOptions & { kept?: true }): Promise<Outcome> {
  const all = await open(options).volume.all()
  const volumes = options.kept === true ? all.filter(({ state }) => state === 'kept') : all
  return {
    json: volumes,
    show() {
      if (volumes.length === 0) output.remark(`There are no ${options.kept === true ? 'kept ' : ''}volumes.`)
      output.table(
        ['database', 'kind', 'state', 'node', 'since', 'volume'],
        volumes.map((each) => [
          each.appName,
          each.version === null ? each.kind : `${each.kind} ${each.version}`,
          output.styled(each.state === 'attached' ? 'good' : 'busy', each.state),
          each.node,
          readableTime(each.keptAt ?? each.createdAt),
          each.name,
        ]),
      )
    },
  }
}

async function restore({ open, output }: Session, options: RestoreOptions, volumeName: string): Promise<Outcome> {
  const client = open(options)
  const volume = await findVolume(client, volumeName)
  if (options.project === undefined) throw new CommandError('usage', 'Name the project of the database: --project NAME')
  const { projectId, name: projectName } = await findProject(client, options.project)
  await checkNewName(client, options.name ?? volume.appName, { projectId, projectName })
  const appName = options.appName ?? (await formerAppName(client, volume))
  const record = (await client.volume.restore({
    volumeId: volume.volumeId,
    name: options.name ?? volume.appName,
    projectId,
    ...given('appName', appName),
  })) as { appName: string }
  const database = await client.database.find({ name: record.appName })
  return {
    json: record,
    show() {
      if (appName === undefined) output.remark(`Another database is called ${volume.appName} now.`)
      output.line(
        `Created ${pathOf(database)} with the host name ${record.appName}. Start it: berth deploy ${shellPathOf(database)}`,
      )
    },
  }
}

async function adopt(
  session: Session,
  options: CommonOptions & WaitOptions & { node?: string },
  volume: string,
  name: string,
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const input = { volume, databaseId: database.databaseId, ...given('node', options.node) }
  const answer = await performOn(session, client, database, 'copy of the volume', seconds, (call) =>
    client.volume.adopt(input, call),
  )
  const [done, begun] = [
    `Copied ${volume}. ${pathOf(database)} runs on the copy.`,
    `The copy of ${volume} has begun. Follow it: berth show ${shellPathOf(database)}`,
  ]
  return { json: answer, show: () => session.output.line(seconds > 0 ? done : begun) }
}

/** The host name that clients of the data know; undefined if another database has it. */
async function formerAppName(client: Client, { appName }: Volume): Promise<string | undefined> {
  const databases = await client.database.all()
  return databases.some((each) => each.appName === appName) ? undefined : appName
}

async function remove(session: Session, options: CommonOptions & WaitOptions, name: string): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const volume = await findVolume(client, name)
  const effect = `This deletes the data of ${volume.appName} (${volume.name}). The data cannot be brought back.`
  await confirmName(effect, volume.appName, options.yes)
  const work = { name: `removal of the volume of ${volume.appName}`, follow: 'berth volume ls' }
  const answer = await perform(session, work, seconds, (call) =>
    client.volume.remove({ volumeId: volume.volumeId }, call),
  )
  const text = seconds > 0 ? `Deleted the data of ${volume.appName}.` : `The removal of ${volume.name} has begun.`
  return { json: answer, show: () => session.output.line(text) }
}
