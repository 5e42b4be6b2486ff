/** berth node: the nodes of the swarm. */
import type { Client, Operations } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { findNode } from '../../names.ts'
import { perform, type WaitOptions, waitOptions, waitSecondsOf, type Work } from '../../progress.ts'
import { confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableSize } from '../../terminal/size.ts'

type Node = Awaited<ReturnType<Operations['cluster']['getNodes']>>[number]

const nodeArgument = ['<node>', 'the host name of the node'] as const

/** A command that sets the availability of a node. @param effect what follows the name of the node in the answer */
const availabilityCommand = (
  name: string,
  availability: Node['availability'],
  description: string,
  effect: string,
): CommandDeclaration => ({
  name,
  description,
  arguments: [nodeArgument],
  examples: [`berth node ${name} web-2`],
  run: (session: Session, common: CommonOptions, node: string) =>
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
  {
    name: 'drain',
    description: 'stop the containers on a node, and place none there',
    arguments: [nodeArgument],
    options: [
      ['--force', 'although databases on the node stop, and on the node of Berth itself also the proxy and ports'],
      ['--now', 'without waiting for the work of Berth on the node: the work fails'],
      ...waitOptions(),
    ],
    notes: ['Berth first finishes its work on the node: dumps, drills, restores and moves.'],
    examples: ['berth node drain web-2', 'berth node drain web-2 --force'],
    run: drain,
  },
  availabilityCommand(
    'pause',
    'pause',
    'place no new containers on a node',
    'takes no new containers. Those that run stay',
  ),
  availabilityCommand('activate', 'active', 'place containers on a node again', 'takes new containers'),
  {
    name: 'rotate-access',
    description: "replace Berth's certificate for the engines of nodes",
    options: [
      ['--immediately', 'revoke the earlier certificates, although work on nodes is interrupted'],
      ...waitOptions(),
    ],
    notes: [
      'Whoever has the certificate and its key is root on every node. Berth renews it by itself; use --immediately if',
      'somebody may have the key.',
    ],
    examples: ['berth node rotate-access', 'berth node rotate-access --immediately'],
    run: rotateAccess,
  },
  {
    name: 'rm',
    description: 'drain a node and remove it from the swarm',
    arguments: [nodeArgument],
    options: [['--force', 'give up the data on the node'], ...waitOptions()],
    notes: ['Asks for the name of the node first; --yes confirms it in scripts.'],
    examples: ['berth node rm web-2'],
    run: remove,
  },
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
        ['node', 'role', 'state', 'availability', 'engine', 'address', 'cores', 'memory', 'volumes'],
        nodes.map((each) => [
          each.hostname,
          each.leader ? 'leader' : each.role,
          output.styled(each.state === 'ready' ? 'good' : 'bad', each.state),
          stateOfChange(each) === null ? each.availability : output.styled('busy', stateOfChange(each)!),
          engineText(output, each),
          each.address,
          String(each.cpuCores),
          readableSize(each.memoryBytes),
          String(dataOf(each)),
        ]),
      )
      for (const { hostname, engineState } of nodes) {
        if (engineState?.state === 'unreachable') output.remark(`${hostname}: ${engineState.reason}`)
      }
    },
  }
}

const stateOfChange = ({ removal, drain: waiting }: Node) =>
  removal !== null ? 'being removed' : waiting !== null ? 'drain waits' : null

function engineText(output: Session['output'], { isOwn, engineState }: Node): string {
  if (isOwn) return 'own'
  const state = engineState?.state ?? 'starting'
  return output.styled(state === 'reachable' ? 'good' : state === 'unreachable' ? 'bad' : 'busy', state)
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
  options: CommonOptions,
  name: string,
  availability: Node['availability'],
  effect: string,
): Promise<Outcome> {
  const client = open(options)
  const { id } = await findNode(client, name)
  const node = await client.cluster.updateNode({ nodeId: id, availability })
  return { json: node, show: () => output.line(`${node.hostname} ${effect}.`) }
}

async function drain(
  session: Session,
  options: CommonOptions & WaitOptions & { force?: true; now?: true },
  name: string,
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const { id, hostname } = await findNode(client, name)
  const [force, immediately] = [options.force === true, options.now === true]
  const work: Work = {
    name: `drain of ${hostname}`,
    follow: 'berth node ls',
    phase: async (signal) =>
      (await client.cluster.getNodes({}, { signal })).find((each) => each.id === id)?.drain?.reason ?? '',
  }
  const node = await perform(session, work, seconds, (call) =>
    client.cluster.updateNode({ nodeId: id, availability: 'drain', force, immediately }, call),
  )
  return { json: node, show: () => showDrain(session, node) }
}

type DrainedNode = Awaited<ReturnType<Operations['cluster']['updateNode']>>

function showDrain({ output }: Session, { hostname, isOwn, drain: waiting, ended }: DrainedNode): void {
  if (waiting !== null) {
    output.line(`${hostname} is not drained yet: berth node ls`)
    return
  }
  output.line(`${hostname} is being drained: its containers stop, and it takes no new ones.`)
  if (!isOwn) output.line('Berth cannot reach the engine of the node until the node is active again.')
  const { hosts = [], ports = [], work = [] } = ended ?? {}
  if (hosts.length > 0) output.line(`No longer served: ${hosts.join(', ')}`)
  if (ports.length > 0) output.line(`No longer open: ${ports.join(', ')}`)
  if (work.length > 0) output.line(`Ended: ${work.map((each) => `${each.type} of ${each.name}`).join(', ')}`)
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
  const lost = node.pinned.map((each) => each.name).join(', ') || 'none'
  const effect = force
    ? `This removes ${node.hostname} and gives up the data on it: ${lost}.`
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

async function rotateAccess(
  session: Session,
  options: CommonOptions & WaitOptions & { immediately?: true },
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const immediately = options.immediately === true
  const work: Work = {
    name: "replacement of Berth's certificate",
    follow: 'berth node ls',
    async phase(signal) {
      const running = await client.deployment.all({ state: 'running', order: 'desc', limit: 100 }, { signal })
      return running.find(({ action }) => action === 'rotateEngineAccess')?.reason ?? ''
    },
  }
  const rotation = await perform(session, work, seconds, (call) =>
    client.cluster.rotateEngineAccess({ immediately }, call),
  )
  const text =
    rotation.state === 'done'
      ? `Replaced. ${rotation.reason ?? 'No node accepts an earlier certificate.'}`
      : 'The replacement goes on: berth api deployment.all --state running'
  return { json: rotation, show: () => session.output.line(text) }
}

const removalOf = (client: Client, { id, hostname }: Node): Work => ({
  name: `removal of ${hostname}`,
  follow: 'berth node ls',
  async phase(signal) {
    const nodes = await client.cluster.getNodes({}, { signal })
    return nodes.find((each) => each.id === id)?.removal?.reason ?? ''
  },
})
