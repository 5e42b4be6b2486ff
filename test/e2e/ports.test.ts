/** Published ports of applications on a real swarm: a port is open or closed when the call returns. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { startRoutingBerth, type RoutingBerth } from './routing-berth.ts'
import { freePort } from '../fixtures/free-port.ts'
import { docker, uniqueName } from './swarm.ts'

interface Port {
  portId: string
  publishedPort: number
  applied: boolean
  reason: string | null
}

const waitHeader = { prefer: 'wait=60' }

describe('published ports', () => {
  let runtime: RoutingBerth
  let name = ''
  before(async () => {
    runtime = await startRoutingBerth()
    name = await runtime.application({})
  })
  after(() => runtime[Symbol.asyncDispose]())

  /** The response of the application that is published on a port; '' without a response. */
  const answerAt = (port: number) =>
    fetch(`http://127.0.0.1:${port}/`).then(
      (response) => response.text(),
      () => '',
    )
  const publish = (publishedPort: number, fields = {}) =>
    runtime.call<Port>('port.create', { applicationId: name, publishedPort, targetPort: 8080, ...fields }, waitHeader)
  const serviceVersion = () => docker('service', 'inspect', '--format', '{{.Version.Index}} {{.UpdatedAt}}', name)

  test('a port is open from its publication to its deletion, and the application is never updated', async () => {
    const [first, second, versionBefore] = [await freePort(), await freePort(), await serviceVersion()]
    const { portId, applied, reason } = await publish(first)
    assert.deepEqual([applied, reason], [true, null])
    assert.match(await answerAt(first), new RegExp(`^${name} GET`))
    const fields = { portId, publishedPort: second, targetPort: 8080 }
    const changed = await runtime.call<Port>('port.update', fields, waitHeader)
    assert.deepEqual([changed.applied, changed.publishedPort], [true, second])
    assert.deepEqual([await answerAt(first), (await answerAt(second)).startsWith(name)], ['', true])
    assert.deepEqual(await serviceVersion(), versionBefore)
    await docker('service', 'update', '--quiet', '--env-add', 'A=1', name)
    await until('the new task to answer', async () => (await answerAt(second)).startsWith(name))
    await runtime.call('port.delete', { portId }, waitHeader)
    assert.equal(await answerAt(second), '')
    assert.equal((await runtime.berth.call('port.one', { portId })).status, 404)
    assert.deepEqual(await docker('service', 'ls', '--quiet', '--filter', `name=berth-port-${portId}`), [])
  })

  test('refuses a port that is in use, and names its owner', async () => {
    const taken = await freePort()
    const { portId } = await publish(taken)
    const own = await freePort()
    const other = uniqueName('publisher')
    await docker(
      'service',
      'create',
      '--detach',
      '--quiet',
      '--name',
      other,
      '--publish',
      `mode=host,published=${own},target=80`,
      'caddy:2',
      'caddy',
      'respond',
    )
    await until('Berth to list the port of the publisher', async () =>
      JSON.stringify((await runtime.berth.call('application.all', {})).body).includes(String(own)),
    )
    const assertRefused = async (publishedPort: number, messagePattern: RegExp) => {
      const { status, body } = await runtime.berth.call<{ message: string }>('port.create', {
        applicationId: name,
        publishedPort,
        targetPort: 80,
      })
      assert.equal(status, 409, body.message)
      assert.match(body.message, messagePattern)
    }
    await assertRefused(taken, /published for .* already/)
    await assertRefused(own, new RegExp(`published by the service ${other} itself`))
    await assertRefused(runtime.httpPort, /a port of the proxy/)
    await assertRefused(3000, /Berth's own port/)
    await assertRefused(2377, /the swarm's own port/)
    const udp = await publish(taken, { protocol: 'udp' })
    assert.equal(udp.applied, true)
    await docker('service', 'rm', other)
    for (const it of [portId, udp.portId]) await runtime.call('port.delete', { portId: it }, waitHeader)
  })

  test('a port of an application that does not exist yet is opened when the application is deployed', async () => {
    const alias = uniqueName('late')
    const publishedPort = await freePort()
    const early = await runtime.call<Port>(
      'port.create',
      { applicationId: alias, publishedPort, targetPort: 8080 },
      waitHeader,
    )
    assert.deepEqual([early.applied, /^No service on the swarm/.test(early.reason!)], [false, true])
    const late = await runtime.application({ 'berth.application': alias })
    await until(
      'the port to be applied',
      async () => (await runtime.call<Port>('port.one', { portId: early.portId })).applied,
      30_000,
    )
    assert.ok((await answerAt(publishedPort)).startsWith(late))
    await runtime.call('port.delete', { portId: early.portId }, waitHeader)
  })

  test('a UDP port forwards packets in both directions', async () => {
    const echo = uniqueName('echo')
    const program = `use IO::Socket::INET; $SIG{TERM} = sub { exit };
      $s = IO::Socket::INET->new(Proto => "udp", LocalPort => 7777) or die $!;
      while (1) { $s->recv($m, 1500); $s->send("echo $m") }`
    await docker(
      'service',
      'create',
      '--detach',
      '--quiet',
      '--name',
      echo,
      '--network',
      'berth',
      '--entrypoint',
      'perl',
      'postgres:15',
      '-e',
      program,
    )
    await until('the echo to run', async () => (await runtime.findApplication(echo))?.running === 1, 30_000)
    const publishedPort = await freePort()
    const { portId, applied } = await runtime.call<Port>(
      'port.create',
      { applicationId: echo, publishedPort, targetPort: 7777, protocol: 'udp' },
      waitHeader,
    )
    assert.equal(applied, true)
    await until('the echo', async () => (await exchangeUdp(publishedPort, 'hello')) === 'echo hello')
    await runtime.call('port.delete', { portId }, waitHeader)
    await docker('service', 'rm', echo)
  })
})

/** Sends a UDP packet. Returns the response, or '' if there is none within a second. */
function exchangeUdp(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    const end = (answer: string) => {
      clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    const timer = setTimeout(() => end(''), 1000)
    socket.on('message', (message) => end(message.toString())).on('error', () => end(''))
    socket.send(text, port, '127.0.0.1')
  })
}
