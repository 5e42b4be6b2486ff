/** berth destination: the buckets and folders that dumps are uploaded to. */
import { Option } from 'commander'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { findDestination } from '../../names.ts'
import { askSecret, confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableSize, readableTime } from '../../terminal/size.ts'
import { addSftp } from './sftp-destination.ts'

interface AddOptions extends CommonOptions {
  endpoint: string
  bucket: string
  region?: string
  accessKey: string
  test: boolean
}

const destinationArgument = ['<destination>', 'the name of the destination'] as const
const needed = (flags: string, about: string) => new Option(flags, about).makeOptionMandatory()

const commands: CommandDeclaration[] = [
  { name: 'ls', description: 'list destinations', examples: ['berth destination ls'], run: list },
  {
    name: 'add',
    description: 'add a bucket of an S3-compatible storage',
    arguments: [['<name>', 'the name of the destination']],
    options: [
      needed('--endpoint <url>', 'a URL, or a host that is reached over HTTPS'),
      needed('--bucket <name>', 'the bucket'),
      needed('--access-key <key>', 'the access key; the secret is asked for, or taken from BERTH_SECRET_KEY'),
      ['--region <name>', "the region (the storage's default)"],
      ['--no-test', 'do not write, read and delete a probe object before'],
    ],
    examples: ['berth destination add s3 --endpoint https://s3.example.org --bucket dumps --access-key AKIA123'],
    run: add,
  },
  addSftp,
  {
    name: 'test',
    description: 'write, read, list and delete a probe object',
    arguments: [destinationArgument],
    examples: ['berth destination test s3'],
    run: test,
  },
  {
    name: 'files',
    description: 'list the objects in the bucket or folder',
    arguments: [destinationArgument],
    options: [['--prefix <text>', 'only objects whose key begins with this']],
    examples: ['berth destination files s3 --prefix shop-orders'],
    run: files,
  },
  {
    name: 'rm',
    description: 'remove a destination; its objects stay',
    arguments: [destinationArgument],
    examples: ['berth destination rm s3'],
    run: remove,
  },
]

export const destinationGroup: GroupDeclaration = {
  name: 'destination',
  description: 'manage the buckets and folders that dumps are uploaded to',
  examples: ['berth destination ls', 'berth destination test s3'],
  commands,
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const all = await open(options).destination.all()
  return {
    json: all,
    show() {
      if (all.length === 0) output.remark('There are no destinations. Add one: berth destination add --help')
      output.table(
        ['name', 'kind', 'endpoint', 'bucket or folder', 'region'],
        all.map((each) => [each.name, each.kind, each.endpoint, each.bucket, each.region || '-']),
      )
    },
  }
}

async function add({ open, output, env }: Session, options: AddOptions, name: string): Promise<Outcome> {
  const { endpoint, bucket, region = '', accessKey } = options
  const client = open(options)
  const secretAccessKey = await askSecret(env, 'BERTH_SECRET_KEY', 'Secret key')
  const input = { name, endpoint, bucket, region, accessKey, secretAccessKey }
  if (options.test) await client.destination.testConnection(input)
  const created = await client.destination.create(input)
  const tested = options.test ? ' A probe object was written, read and deleted.' : ''
  return { json: created, show: () => output.line(`Added ${name}.${tested}`) }
}

async function test({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const { createdAt: _, ...destination } = await findDestination(client, name)
  const result = await client.destination.testConnection(destination)
  const steps = result.steps.map((step) => `${step.did} ${step.tookMs} ms`).join(', ')
  return { json: result, show: () => output.line(`${destination.name} works: ${steps}.`) }
}

async function files(
  { open, output }: Session,
  options: CommonOptions & { prefix?: string },
  name: string,
): Promise<Outcome> {
  const client = open(options)
  const { destinationId, ...destination } = await findDestination(client, name)
  const { prefix = '' } = options
  const found = await Array.fromAsync(client.backup.files.each({ destinationId, prefix }))
  return {
    json: found,
    show() {
      if (found.length === 0) output.remark(`${destination.name} has no objects with this beginning.`)
      output.table(
        ['key', 'size', 'written'],
        found.map((each) => [each.key, readableSize(each.sizeBytes), readableTime(each.modifiedAt)]),
      )
    },
  }
}

async function remove({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const { destinationId, ...destination } = await findDestination(client, name)
  const effect = `This removes the destination ${destination.name}. Its objects stay.`
  await confirmName(effect, destination.name, options.yes)
  const removed = await client.destination.remove({ destinationId })
  return { json: removed, show: () => output.line(`Removed ${destination.name}.`) }
}
