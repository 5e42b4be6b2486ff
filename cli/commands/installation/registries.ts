/** berth registry: the registries of images, and the registry that Berth runs. */
import { Option } from 'commander'
import type { Operations } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import { findRegistry } from '../../names.ts'
import { textFile } from '../../text-file.ts'
import { deploymentWork, perform, type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { askSecret, confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'

type Registry = Awaited<ReturnType<Operations['registry']['all']>>[number]

const registryArgument = ['<registry>', 'the name or the host of the registry'] as const
const user = new Option('--user <name>', 'the user; the password is asked for, or taken from BERTH_PASSWORD')
const passwordFromInput = [
  '--password-stdin',
  'read the password from standard input, for example a file of several lines',
] as const
const insecure = ['--insecure', 'accept any certificate of the registry'] as const

interface AddOptions extends CommonOptions {
  url?: string
  user: string
  prefix?: string
  passwordStdin?: true
  insecure?: true
}

const commands: CommandDeclaration[] = [
  { name: 'ls', description: 'list registries', examples: ['berth registry ls'], run: list },
  {
    name: 'add',
    description: 'add the credentials of a registry; Berth logs in to test them',
    arguments: [['<name>', 'the name of the registry']],
    options: [
      ['--url <host>', 'the host, with an optional port (Docker Hub)'],
      user.makeOptionMandatory(),
      passwordFromInput,
      ['--prefix <path>', 'the beginning of the names of images'],
      insecure,
    ],
    examples: [
      'berth registry add ghcr --url ghcr.io --user me --prefix my-team',
      'berth registry add gar --url europe-west3-docker.pkg.dev --user _json_key --password-stdin <key.json',
    ],
    run: add,
  },
  {
    name: 'test',
    description: 'log in to a registry with the stored credentials',
    arguments: [registryArgument],
    examples: ['berth registry test ghcr'],
    run: test,
  },
  {
    name: 'images',
    description: 'list the images of a registry with their tags',
    arguments: [registryArgument],
    examples: ['berth registry images own'],
    run: images,
  },
  {
    name: 'enable',
    description: 'run a registry of your own, or change its address and credentials',
    arguments: [['<url>', 'a host name, which the proxy serves with TLS; or host:port, without TLS']],
    options: [user, passwordFromInput, insecure, ...waitOptions()],
    examples: [
      'berth registry enable registry.example.org --user team',
      'berth registry enable 127.0.0.1:5000 --user team',
    ],
    run: enable,
  },
  {
    name: 'clean',
    description: 'delete data that no image of your own registry uses; pushes are refused meanwhile',
    arguments: [registryArgument],
    options: [['--untagged', 'also delete images without a tag'], ...waitOptions()],
    examples: ['berth registry clean own'],
    run: clean,
  },
  {
    name: 'rm',
    description: 'remove a registry and its credentials; the images of your own registry stay in its volume',
    arguments: [registryArgument],
    options: [['--force', 'although databases use its images'], ...waitOptions()],
    examples: ['berth registry rm ghcr'],
    run: remove,
  },
]

export const registryGroup: GroupDeclaration = {
  name: 'registry',
  description: 'manage registries of images',
  examples: ['berth registry ls', 'berth registry add ghcr --url ghcr.io --user me'],
  commands,
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const registries = await open(options).registry.all()
  return {
    json: registries,
    show() {
      if (registries.length === 0)
        output.remark('There are no registries. Add one: berth registry add NAME --user USER')
      output.table(
        ['name', 'host', 'prefix', 'user', 'status', 'reason'],
        registries.map(({ server, ...each }) => [
          server === null ? each.registryName : `${each.registryName} (your own)`,
          each.host,
          each.imagePrefix || '-',
          each.username,
          server === null
            ? '-'
            : output.styled(styleOf(server.status), server.status === 'done' ? 'up' : server.status),
          server?.statusReason ?? '',
        ]),
      )
    },
  }
}

const styleOf = (status: 'running' | 'done' | 'error') =>
  status === 'done' ? 'good' : status === 'error' ? 'bad' : 'busy'

async function add({ open, env, output }: Session, options: AddOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const created = await client.registry.create({
    registryName: name,
    registryUrl: options.url ?? '',
    registryType: 'cloud',
    username: options.user,
    password: await passwordOf(env, options, `Password of ${options.user}`),
    imagePrefix: options.prefix ?? null,
    insecure: options.insecure === true,
  })
  return { json: created, show: () => output.line(`Added ${name}: Berth has logged in to ${created.host}.`) }
}

const passwordOf = async (env: NodeJS.ProcessEnv, { passwordStdin }: { passwordStdin?: true }, question: string) =>
  passwordStdin === true
    ? textFile('--password-stdin', '-').replace(/\r?\n$/, '')
    : askSecret(env, 'BERTH_PASSWORD', question)

async function test({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const {
    adminId: _admin,
    createdAt: _at,
    server: _server,
    host: _host,
    ...registry
  } = await findRegistry(client, name)
  const result = await client.registry.testRegistry(registry)
  return { json: result, show: () => output.line(result.message) }
}

async function images({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const { registryId, registryName } = await findRegistry(client, name)
  const found = await Array.fromAsync(client.registry.images.each({ registryId }))
  return {
    json: found,
    show() {
      if (found.length === 0) output.remark(`${registryName} has no images.`)
      output.table(
        ['image', 'tags'],
        found.map((each) => [each.name, `${each.tags.join(', ')}${each.isWhole ? '' : ' …'}`]),
      )
    },
  }
}

async function enable(
  session: Session,
  options: CommonOptions & WaitOptions & { user?: string; passwordStdin?: true; insecure?: true },
  registryUrl: string,
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const present = (await client.registry.all()).find(({ server }) => server !== null)
  const username = options.user ?? present?.username
  if (username === undefined) throw new CommandError('usage', 'Name the user of the registry: --user NAME')
  const password = await passwordOf(session.env, options, `Password of ${username} in the registry`)
  const input = { registryUrl, username, password, insecure: options.insecure === true }
  const answer = await perform(session, workOn('start of the registry', present), seconds, (call) =>
    client.registry.enableSelfHostedRegistry(input, call),
  )
  const { output } = session
  return {
    json: answer,
    show: () =>
      output.line(
        answer.server?.status === 'done'
          ? `${answer.host} serves images. Push to it: docker login ${answer.host}`
          : `The registry ${answer.host} is being started: berth registry ls`,
      ),
    ...failureOf(answer),
  }

  function workOn(name: string, registry: Registry | undefined) {
    const follow = 'berth registry ls'
    return registry === undefined ? { name, follow } : deploymentWork(client, registry.registryId, name, follow)
  }
}

const failureOf = ({ server }: Registry) =>
  server?.status === 'error'
    ? { failure: new CommandError('failed', `The registry does not run: ${server.statusReason}`) }
    : {}

async function clean(
  session: Session,
  options: CommonOptions & WaitOptions & { untagged?: true },
  name: string,
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const { registryId, registryName } = await findRegistry(client, name)
  const work = deploymentWork(client, registryId, `clean-up of ${registryName}`, 'berth registry ls')
  const answer = await perform(session, work, seconds, (call) =>
    client.registry.collectGarbage({ registryId, untagged: options.untagged === true }, call),
  )
  const text = seconds > 0 ? `Cleaned up ${registryName}.` : `The clean-up of ${registryName} has begun.`
  return { json: answer, show: () => session.output.line(text), ...failureOf(answer) }
}

async function remove(
  session: Session,
  options: CommonOptions & WaitOptions & { force?: true },
  name: string,
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const { registryId, registryName, server } = await findRegistry(client, name)
  const effect =
    server === null
      ? `This removes the registry ${registryName} and its credentials.`
      : `This stops your registry ${registryName}. Its images stay in its volume.`
  await confirmName(effect, registryName, options.yes)
  const work = deploymentWork(client, registryId, `removal of ${registryName}`, 'berth registry ls')
  const answer = await perform(session, work, seconds, (call) =>
    client.registry.remove({ registryId, force: options.force === true }, call),
  )
  return { json: answer, show: () => session.output.line(`Removed ${registryName}.`) }
}
