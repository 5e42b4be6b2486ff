/** berth node: the nodes of the swarm. */
import type { Client, Operations } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { findNode } from '../../names.ts'
import { perform, type WaitOptions, waitOptions, waitSecondsOf, type Work } from '../../progress.ts'
import { confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableSize } from '../../terminal/size.ts'
import { adoptCommand } from './adopt-node.ts'

type Node = Awaited<ReturnType<Operations['cluster']['getNodes']>>[number]

const nodeArgument = ['<node>', 'the host name of the node'] as const

/** A command that sets the availability of a node. @param effect what follows the name of the node in the answer */
const availabilityCommand = (
  name: string,
  availability: Node['availability'],
  description: string,
  effect: string,
  options: Required<CommandDeclaration>['options'] = [],
): CommandDeclaration => ({
  name,
  description,
  arguments: [nodeArgument],
  options,
  examples: [`berth node ${name} web-2`],
  run: (session: Session, common: CommonOptions & { force?: true }, node: string) =>
    setAvailability(session, common, node, availability, effect),
})

const commands: CommandDeclaration[] = [
  { name: 'ls', description: 'list nodes', examples: ['berth node ls'], run: list },
  {
    name: 'join',
    description: 'print the command that joins another machine',
    options: [
      ['--manager', 'as a manager; without it, as a worker'],
      ['--new-token', 'replace the join token first, so that the old one is refused'],
    ],
    examples: ['berth node join', 'ssh root@web-2 "$(berth node join)"'],
    run: join,
  },
  availabilityCommand(
    'drain',
    'drain',
    'stop the containers on a node, and place none there',
    'is being drained: its containers stop, and it takes no new ones',
    [['--force', 'although databases on the node stop']],
  ),
  availabilityCommand(
    'pause',
    'pause',
    'place no new containers on a node',
    'takes no new containers. Those that run stay',
  ),
  availabilityCommand('activate', 'active', 'place containers on a node again', 'takes new containers'),
  {
    name: 'rm',
    description: 'drain a node and remove it from the swarm',
    arguments: [nodeArgument],
    options: [['--force', 'give up the data on the node'], ...waitOptions()],
    notes: ['Asks for the name of the node first; --yes confirms it in scripts.'],
    examples: ['berth node rm web-2'],
    run: remove,
  },
  adoptCommand,
]

export const nodeGroup: GroupDeclaration = {
  name: 'node',
  description: 'manage the nodes of the swarm',
  examples: ['berth node ls', 'berth node join'],
  commands,
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const nodes = await open(options).cluster.getNodes()
  const dataOf = ({ pinned }: Node) => pinned.filter(({ type }) => type === 'database' || type === 'volume').length
  return {
    json: nodes,
    show() {
      output.table(
        ['node', 'role', 'state', 'availability', 'address', 'cores', 'memory', 'volumes'],
        nodes.map((each) => [
          each.hostname,
          each.leader ? 'leader' : each.role,
          output.styled(each.state === 'ready' ? 'good' : 'bad', each.state),
          each.removal === null ? each.availability : output.styled('busy', 'being removed'),
          each.address,
          String(each.cpuCores),
          readableSize(each.memoryBytes),
          String(dataOf(each)),
        ]),
      )
      for (const { hostname, returned } of nodes) {
        for (const lost of returned) {
          const volumes = lost.volumes === 1 ? 'a volume' : `${lost.volumes} volumes`
          output.remark(
            `${hostname} has ${volumes} of the lost node ${lost.hostname} (${lost.nodeId}). Take them back:`,
          )
          output.line(`berth node adopt ${lost.nodeId} --node ${hostname}`)
        }
      }
    },
  }
}

async function join(
  { open, output }: Session,
  options: CommonOptions & { manager?: true; newToken?: true },
): Promise<Outcome> {
  const { cluster } = open(options)
  const role = options.manager === true ? 'manager' : 'worker'
  const read = role === 'manager' ? cluster.addManager : cluster.addWorker
  const joining = await (options.newToken === true ? cluster.rotateTokens({ role }) : read())
  return {
    json: joining,
    show() {
      output.remark('Run this on the new machine. It needs a Docker engine and no swarm of its own.')
      output.line(joining.command)
    },
  }
}

async function setAvailability(
  { open, output }: Session,
  options: CommonOptions & { force?: true },
  name: string,
  availability: Node['availability'],
  effect: string,
): Promise<Outcome> {
  const client = open(options)
  const { id } = await findNode(client, name)
  const node = await client.cluster.updateNode({ nodeId: id, availability, force: options.force === true })
  return { json: node, show: () => output.line(`${node.hostname} ${effect}.`) }
}

async function remove(
  session: Session,
  options: CommonOptions & WaitOptions & { force?: true },
  name: string,
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const node = await findNode(client, name)
  const force = options.force === true
  const effect = force
    ? await forcedEffect(client, node)
    : `This drains ${node.hostname} and removes it from the swarm.`
  await confirmName(effect, node.hostname, options.yes)
  const removal = await perform(session, removalOf(client, node), seconds, (call) =>
    client.cluster.removeWorker({ nodeId: node.id, force }, call),
  )
  const text =
    removal.state === 'done'
      ? `Removed ${node.hostname}. If the machine is up, run there: docker swarm leave`
      : `The removal of ${node.hostname} goes on: berth node ls`
  return { json: removal, show: () => session.output.line(text) }
}

/** What a removal with force does. Data that was found on another node can be taken back afterwards. */
async function forcedEffect(client: Client, { id, hostname, pinned }: Node): Promise<string> {
  const lost = pinned.map((each) => each.name).join(', ') || 'none'
  const effect = `This removes ${hostname} and gives up the data on it: ${lost}.`
  const found = (await client.cluster.getNodes()).find(({ returned }) => returned.some(({ nodeId }) => nodeId === id))
  return found === undefined
    ? effect
    : `${effect} Volumes of it are on ${found.hostname}. Take them back afterwards: berth node adopt ${id}`
}

const removalOf = (client: Client, { id, hostname }: Node): Work => ({
  name: `removal of ${hostname}`,
  follow: 'berth node ls',
  async phase(signal) {
    const nodes = await client.cluster.getNodes({}, { signal })
    return nodes.find((each) => each.id === id)?.removal?.reason ?? ''
  },
})
