/** berth destination: the buckets that dumps are uploaded to. */
import type { Command } from 'commander'
import { findNamed } from '../names.ts'
import { ask, confirmName } from '../prompt.ts'
import type { CommonOptions, Session } from '../session.ts'

interface AddOptions extends CommonOptions {
  endpoint: string
  bucket: string
  region?: string
  accessKey: string
  test: boolean
}

export function addDestinations(program: Command, session: Session): void {
  const destination = program.command('destination').description('manage the buckets that dumps are uploaded to')
  destination
    .command('ls')
    .description('list destinations')
    .action((_, command: Command) => list(session, command.optsWithGlobals()))
  destination
    .command('add')
    .argument('<name>', 'the name of the destination')
    .description('add a bucket of an S3-compatible storage')
    .requiredOption('--endpoint <url>', 'a URL, or a host that is reached over HTTPS')
    .requiredOption('--bucket <name>', 'the bucket')
    .requiredOption('--access-key <key>', 'the access key; the secret is asked for, or taken from BERTH_SECRET_KEY')
    .option('--region <name>', "the region (the storage's default)")
    .option('--no-test', 'do not write, read and delete a probe object before')
    .action((name: string, _, command: Command) => add(session, name, command.optsWithGlobals()))
  destination
    .command('test')
    .argument('<name>', 'the name of the destination')
    .description('write, read, list and delete a probe object')
    .action((name: string, _, command: Command) => test(session, name, command.optsWithGlobals()))
  destination
    .command('rm')
    .argument('<name>', 'the name of the destination')
    .description('remove a destination; the objects in its bucket stay')
    .action((name: string, _, command: Command) => remove(session, name, command.optsWithGlobals()))
}

async function list({ open, output }: Session, options: CommonOptions): Promise<void> {
  const all = await open(options).destination.all()
  if (options.json === true) return output.json(all)
  if (all.length === 0)
    return output.note('There are no destinations. Add one: berth destination add NAME --endpoint URL …')
  output.table(
    ['name', 'endpoint', 'bucket', 'region', 'id'],
    all.map((each) => [each.name, each.endpoint, each.bucket, each.region || '-', each.destinationId]),
  )
}

async function add({ open, output, env }: Session, name: string, options: AddOptions): Promise<void> {
  const { endpoint, bucket, region = '', accessKey } = options
  const secretAccessKey = env.BERTH_SECRET_KEY ?? (await ask('Secret key: ', { isHidden: true }))
  const input = { name, endpoint, bucket, region, accessKey, secretAccessKey }
  const client = open(options)
  if (options.test) await client.destination.testConnection(input)
  const created = await client.destination.create(input)
  if (options.json === true) return output.json(created)
  output.line(`Added ${name}.${options.test ? ' A probe object was written, read and deleted.' : ''}`)
}

const findDestination = async ({ open }: Session, name: string, options: CommonOptions) =>
  findNamed('destination', name, await open(options).destination.all(), (each) => [each.name, each.destinationId])

async function test(session: Session, name: string, options: CommonOptions): Promise<void> {
  const { createdAt: _, ...destination } = await findDestination(session, name, options)
  const result = await session.open(options).destination.testConnection(destination)
  if (options.json === true) return session.output.json(result)
  session.output.line(
    `${destination.name} works: ${result.steps.map((step) => `${step.did} ${step.tookMs} ms`).join(', ')}.`,
  )
}

async function remove(session: Session, name: string, options: CommonOptions): Promise<void> {
  const { destinationId, ...destination } = await findDestination(session, name, options)
  await confirmName(
    `This removes the destination ${destination.name}. Its objects stay in the bucket.`,
    destination.name,
    options.yes,
  )
  await session.open(options).destination.remove({ destinationId })
  session.output.line(`Removed ${destination.name}.`)
}
