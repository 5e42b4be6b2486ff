/** Gateways of published ports on a real swarm. They forward to the application's current tasks. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { parseConfig } from '../../src/config.ts'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Protocol } from '../../src/engine/spec.ts'
import { everyone } from '../../src/gateways/sources/admitted.ts'
import { controlProgram } from '../../src/gateways/sources/control.ts'
import { portGatewayName, portGatewaySpec } from '../../src/routing/specs.ts'
import { freePort } from '../fixtures/free-port.ts'
import { until } from '../engine/until.ts'
import { containersOf, docker, dockerHost, removeAll, uniqueName } from './swarm.ts'

const networkName = 'berth-test'
const installationId = `gateways-${process.pid}`

/** Perl servers that answer each client with the name of their container. */
const programs: Record<Protocol, string> = {
  tcp: `use IO::Socket::INET; use Sys::Hostname; $SIG{TERM} = sub { exit };
    $s = IO::Socket::INET->new(Listen => 9, LocalPort => 7777, ReuseAddr => 1) or die $!;
    while (1) { $c = $s->accept or next; print $c hostname; close $c }`,
  udp: `use IO::Socket::INET; use Sys::Hostname; $SIG{TERM} = sub { exit };
    $s = IO::Socket::INET->new(Proto => "udp", LocalPort => 7777) or die $!;
    while (1) { $s->recv($m, 1500); $s->send(hostname) }`,
}

describe('gateways of published ports', () => {
  let engine: Engine
  let nodeId = ''
  before(async () => {
    engine = dockerEngine({ dockerHost, installationId, networkName })
    await engine.prepare()
    nodeId = (await engine.nodes()).find(({ local }) => local)?.id ?? ''
  })
  const cleanUp = new AsyncDisposableStack()
  after(() => cleanUp.disposeAsync())
  cleanUp.defer(() => removeAll(installationId))

  /** Creates an application with two tasks and a gateway that publishes it. */
  async function publish(protocol: Protocol) {
    const [service, published] = [uniqueName('gateway-app'), await freePort()]
    const gateway = { id: service, published, protocol, service, targetPort: 7777, udpSources: null }
    await engine.createService(portGatewaySpec(gateway, nodeId, parseConfig({})))
    await docker(
      'service',
      'create',
      '--detach',
      '--quiet',
      '--name',
      service,
      '--network',
      networkName,
      '--replicas',
      '2',
      '--stop-grace-period',
      '1s',
      '--restart-delay',
      '1s',
      '--entrypoint',
      'perl',
      'postgres:15',
      '-e',
      programs[protocol],
    )
    cleanUp.defer(async () => {
      await docker('service', 'rm', service)
    })
    if (protocol === 'tcp') await admitEveryone(portGatewayName(service))
    return { service, published }
  }

  /** A gateway refuses everyone until it has a list. */
  async function admitEveryone(gateway: string) {
    await until('the gateway to take a list', async () => {
      const [task] = await engine.tasks([gateway])
      if (task?.state !== 'running') return false
      return (await engine.run(task, controlProgram('apply', everyone), 10_000)).exitCode === 0
    })
  }

  /** Sends requests until `count` tasks other than `excluded` have answered. Returns their container names. */
  async function answeringTasks(
    request: () => Promise<string>,
    count: number,
    excluded: string[] = [],
  ): Promise<string[]> {
    const names = new Set<string>()
    await until(
      `${count} tasks to answer`,
      async () => {
        const name = await request()
        if (name !== '' && !excluded.includes(name)) names.add(name)
        return names.size === count
      },
      30_000,
    )
    return [...names]
  }

  /** Kills all tasks at once. Their replacements have other addresses. */
  async function killAll(service: string) {
    await docker('kill', ...(await containersOf(service)))
  }

  test('a TCP gateway forwards to all tasks and to their replacements', async () => {
    const { service, published } = await publish('tcp')
    const first = await answeringTasks(() => requestTcp(published), 2)
    await killAll(service)
    await answeringTasks(() => requestTcp(published), 2, first)
  })

  let udp: ReturnType<typeof publish> | undefined
  const publishedUdp = () => (udp ??= publish('udp'))

  test('a UDP gateway forwards to all tasks and to their replacements', async () => {
    const { service, published } = await publishedUdp()
    const first = await answeringTasks(() => requestUdp(published), 2)
    await killAll(service)
    await answeringTasks(() => requestUdp(published), 2, first)
  })

  test('a UDP client stays with its task until the task ends, and then gets another', async () => {
    const { service, published } = await publishedUdp()
    await answeringTasks(() => requestUdp(published), 2)
    await using client = await udpClient(published)
    // The previous test ended tasks. When the gateway notices that, after 1 or 2 s, it reassigns all clients.
    const first = await until('a client to stay with its task', () => stableTask(client.request), 30_000)
    await killAll(service)
    await answeringTasks(client.request, 1, [first])
  })
})

/** Returns the task that answers 30 requests in a row, which is unlikely by chance, or null if the tasks differ. */
async function stableTask(request: () => Promise<string>): Promise<string | null> {
  const first = await request()
  for (let count = 1; count < 30; count++) if ((await request()) !== first) return null
  return first === '' ? null : first
}

/** Returns the response, or '' if nothing answers. */
function requestTcp(port: number): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = net.connect(port, '127.0.0.1').setTimeout(1000, () => socket.destroy())
    socket
      .on('data', (part) => {
        received += part.toString()
      })
      .on('error', () => undefined)
      .on('close', () => resolve(received))
  })
}

/** Sends a datagram from a new port and returns the response, or '' if nothing answers. */
async function requestUdp(port: number): Promise<string> {
  await using client = await udpClient(port)
  return await client.request()
}

/** Opens a client that sends all its datagrams from the same port. */
async function udpClient(port: number) {
  const socket = createSocket('udp4')
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const request = async () => {
    socket.send('who?', () => undefined)
    return once(socket, 'message', { signal: AbortSignal.timeout(300) }).then(
      ([message]) => String(message),
      () => '',
    )
  }
  return {
    request,
    [Symbol.asyncDispose]: async () => {
      socket.close()
    },
  }
}
