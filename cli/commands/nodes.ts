/** berth node: the nodes of the swarm. */
import type { Command } from 'commander'
import type { Client, Operations } from '../../client/client.ts'
import { findNamed } from '../names.ts'
import { confirmName } from '../prompt.ts'
import type { CommonOptions, Session } from '../session.ts'
import { readableSize } from '../size.ts'

type Node = Awaited<ReturnType<Operations['cluster']['getNodes']>>[number]

export function addNodes(program: Command, session: Session): void {
  const node = program.command('node').description('manage the nodes of the swarm')
  node
    .command('ls')
    .description('list nodes')
    .action((_, command: Command) => list(session, command.optsWithGlobals()))
  node
    .command('join')
    .description('print the command that joins another machine')
    .option('--manager', 'as a manager; without it, as a worker')
    .action((_, command: Command) => join(session, command.optsWithGlobals()))
  for (const [verb, availability, description] of [
    ['drain', 'drain', 'stop the containers on a node, and place none there'],
    ['pause', 'pause', 'place no new containers on a node'],
    ['activate', 'active', 'place containers on a node again'],
  ] as const) {
    node
      .command(verb)
      .argument('<node>', 'the host name of the node')
      .description(description)
      .option('--force', 'although databases on the node stop')
      .action((name: string, _, command: Command) =>
        setAvailability(session, name, availability, command.optsWithGlobals()),
      )
  }
  node
    .command('rm')
    .argument('<node>', 'the host name of the node')
    .description('drain a node and remove it from the swarm')
    .option('--force', 'give up the data on the node')
    .action((name: string, _, command: Command) => remove(session, name, command.optsWithGlobals()))
}

const findNode = async (client: Client, name: string): Promise<Node> =>
  findNamed('node', name, await client.cluster.getNodes(), (each) => [each.hostname, each.id])

async function list({ open, output }: Session, options: CommonOptions): Promise<void> {
  const nodes = await open(options).cluster.getNodes()
  if (options.json === true) return output.json(nodes)
  output.table(
    ['node', 'role', 'state', 'availability', 'address', 'cores', 'memory', 'data'],
    nodes.map((each) => [
      each.isOwn ? `${each.hostname} *` : each.hostname,
      each.leader ? 'leader' : each.role,
      output.styled(each.state === 'ready' ? 'good' : 'bad', each.state),
      each.availability,
      each.address,
      String(each.cpuCores),
      readableSize(each.memoryBytes),
      String(each.pinned.length),
    ]),
  )
}

async function join({ open, output }: Session, options: CommonOptions & { manager?: boolean }): Promise<void> {
  const { cluster } = open(options)
  const joining = await (options.manager === true ? cluster.addManager() : cluster.addWorker())
  if (options.json === true) return output.json(joining)
  output.note('Run this on the new machine. It needs a Docker engine and no swarm of its own.')
  output.line(joining.command)
}

async function setAvailability(
  { open, output }: Session,
  name: string,
  availability: Node['availability'],
  options: CommonOptions & { force?: boolean },
): Promise<void> {
  const client = open(options)
  const { id } = await findNode(client, name)
  const node = await client.cluster.updateNode({
    nodeId: id,
    availability,
    ...(options.force === true ? { force: true } : {}),
  })
  if (options.json === true) return output.json(node)
  output.line(`${node.hostname} is ${node.availability}.`)
}

async function remove(session: Session, name: string, options: CommonOptions & { force?: boolean }): Promise<void> {
  const client = session.open(options)
  const node = await findNode(client, name)
  const isForced = options.force === true
  const effect = isForced
    ? `This removes ${node.hostname} and gives up the data on it: ${node.pinned.map((each) => each.name).join(', ') || 'none'}.`
    : `This drains ${node.hostname} and removes it from the swarm.`
  await confirmName(effect, node.hostname, options.yes)
  const removal = await client.cluster.removeWorker(
    { nodeId: node.id, force: isForced },
    { wait: 600, signal: session.interrupted },
  )
  if (options.json === true) return session.output.json(removal)
  session.output.line(
    removal.state === 'done' ? `Removed ${node.hostname}.` : `The removal of ${node.hostname} goes on: berth node ls`,
  )
}
