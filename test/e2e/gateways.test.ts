/** Gateways of published ports on the real swarm: they forward, and follow an application's tasks wherever these go. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { parseConfig } from '../../src/config.ts'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Protocol } from '../../src/engine/spec.ts'
import { portGatewaySpec } from '../../src/routing/specs.ts'
import { freePort } from '../engine/engine-fixture.ts'
import { until } from '../engine/until.ts'
import { containersOf, docker, dockerHost, removeAll, uniqueName } from './swarm.ts'

const networkName = 'berth-test'
const installationId = `gateways-${process.pid}`

/** Each says the name of its container to whoever asks. */
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
  const end = new AsyncDisposableStack()
  after(() => end.disposeAsync())
  end.defer(() => removeAll(installationId))

  async function publish(protocol: Protocol) {
    const [service, published] = [uniqueName('gateway-app'), await freePort()]
    const gateway = { id: service, published, protocol, service, targetPort: 7777 }
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
    end.defer(async () => {
      await docker('service', 'rm', service)
    })
    return { service, published }
  }

  /** Ends when so many tasks have answered of which none is among the `gone`. */
  async function heardOf(ask: () => Promise<string>, many: number, gone: string[] = []): Promise<string[]> {
    const heard = new Set<string>()
    await until(
      `${many} tasks to answer`,
      async () => {
        const name = await ask()
        if (name !== '' && !gone.includes(name)) heard.add(name)
        return heard.size === many
      },
      30_000,
    )
    return [...heard]
  }

  /** All tasks are killed at once: what comes back has other addresses. */
  async function killAll(service: string) {
    await docker('kill', ...(await containersOf(service)))
  }

  test('TCP: forwards to all tasks, and to those that take their place', async () => {
    const { service, published } = await publish('tcp')
    const first = await heardOf(() => askTcp(published), 2)
    await killAll(service)
    await heardOf(() => askTcp(published), 2, first)
  })

  let udp: ReturnType<typeof publish> | undefined
  const publishedUdp = () => (udp ??= publish('udp'))

  test('UDP: forwards to all tasks, and to those that take their place', async () => {
    const { service, published } = await publishedUdp()
    const first = await heardOf(() => askUdp(published), 2)
    await killAll(service)
    await heardOf(() => askUdp(published), 2, first)
  })

  test('UDP: a client stays with its task, and is given another when that is gone for ever', async () => {
    const { service, published } = await publishedUdp()
    await heardOf(() => askUdp(published), 2)
    await using client = await udpClient(published)
    // Of a task that went just before, the gateway learns within a second or two, and gives every client another then.
    const first = await until('a client to stay with its task', () => steady(client.ask), 30_000)
    await killAll(service)
    await heardOf(client.ask, 1, [first])
  })
})

/** Who gives thirty answers in a row; null where another one comes between. By chance that would not be seen. */
async function steady(ask: () => Promise<string>): Promise<string | null> {
  const first = await ask()
  for (let count = 1; count < 30; count++) if ((await ask()) !== first) return null
  return first === '' ? null : first
}

/** '' where nothing answers. */
function askTcp(port: number): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = net.connect(port, '127.0.0.1').setTimeout(1000, () => socket.destroy())
    socket
      .on('data', (part) => {
        heard += part.toString()
      })
      .on('error', () => undefined)
      .on('close', () => resolve(heard))
  })
}

async function askUdp(port: number): Promise<string> {
  await using client = await udpClient(port)
  return await client.ask()
}

/** Sends from one port of its own. */
async function udpClient(port: number) {
  const socket = createSocket('udp4')
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const ask = async () => {
    socket.send('who?', () => undefined)
    return once(socket, 'message', { signal: AbortSignal.timeout(300) }).then(
      ([said]) => String(said),
      () => '',
    )
  }
  return {
    ask,
    [Symbol.asyncDispose]: async () => {
      socket.close()
    },
  }
}
