/** Remote commands on a fake API: their results, their failures on the node, and leftover services. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { frame } from '../../../../test/engine/frame.ts'
import { until } from '../../../../test/engine/until.ts'
import { dockerEngine } from '../engine.ts'
import { EngineFailure } from '../../engine.ts'
import { remoteCommandRole, installationLabel, roleLabel } from '../../labels.ts'

/** How the other node of the swarm behaves. */
interface RemoteBehaviour {
  node?: { Status?: object; Spec?: object }
  /** The state in which the task of the remote command ends. */
  state?: string
  /** The error of the task. */
  err?: string
  /** The standard output of the remote command. */
  output?: string
  exitCode?: number
  stderr?: string
  /** Names of remote commands that an earlier Berth process left. */
  leftovers?: string[]
}

/** Both outputs, each up to the line with the command's name. */
function printed(name: string, { output = '', exitCode = 0, stderr }: RemoteBehaviour): Buffer {
  const packed = gzipSync(`${output}\n${exitCode}`)
    .toString('base64')
    .match(/.{1,76}/g)!
  const lines = [
    ...[...packed, name].map((line) => [1, line] as const),
    ...[...(stderr === undefined ? [] : [stderr]), name].map((line) => [2, line] as const),
  ]
  return Buffer.concat(lines.map(([stream, line]) => frame(stream, `2030-01-01T00:00:00.000000000Z ${line}\n`)))
}

const remoteCommand = (Name: string) => ({
  ID: `id-of-${Name}`,
  Version: { Index: 1 },
  Spec: { Name, Labels: { [installationLabel]: 'mine', [roleLabel]: remoteCommandRole }, TaskTemplate: {} },
})

/** An engine on node1 of a swarm with node2, which behaves like `remote`. `services` has the existing services. */
async function engineWith(t: TestContext, remote: RemoteBehaviour) {
  const services = new Map((remote.leftovers ?? []).map((name) => [name, remoteCommand(name)]))
  const api = await fakeApi(({ method, path: full, query, body }, response) => {
    const path = full.slice('/v1.41'.length)
    if (path === '/info') {
      return [200, { Swarm: { NodeID: 'node1', LocalNodeState: 'active', ControlAvailable: true, Error: '' } }]
    }
    if (path === '/networks') return [200, [{ Name: 'berth', Driver: 'overlay', Scope: 'swarm', Attachable: true }]]
    if (path === '/configs' || path === '/secrets') return [200, []]
    if (path === '/nodes/node2') {
      return [
        200,
        {
          ID: 'node2',
          Description: { Hostname: 'two' },
          Status: { State: 'ready', Addr: '10.0.0.2' },
          Spec: { Availability: 'active' },
          ...remote.node,
        },
      ]
    }
    if (path === '/services/create') {
      const { Name } = body as { Name: string }
      services.set(Name, remoteCommand(Name))
      return [201, { ID: `id-of-${Name}` }]
    }
    if (method === 'DELETE') return services.delete(path.slice('/services/'.length)) ? [200, {}] : [404, {}]
    if (path === '/services') return [200, [...services.values()]]
    if (path === '/tasks')
      return [200, [{ ID: 'task', Status: { State: remote.state ?? 'complete', Err: remote.err } }]]
    const [, name] = /^\/services\/id-of-(.*)\/logs$/.exec(path) ?? []
    if (name === undefined) return [404, { message: `${path} not found` }]
    response.writeHead(200)
    // This is how a swarm serves the logs of a node that reconnected: only followed logs have the node's lines.
    if (query.follow === '1') response.write(printed(name, remote))
    else response.end(frame(3, 'warning: incomplete log stream. node node2 is not available\n'))
    return undefined
  })
  t.after(api.close)
  const engine = dockerEngine({
    dockerHost: api.dockerHost,
    installationId: 'mine',
    networkName: 'berth',
    timeoutMs: 2000,
  })
  return { engine, services, requests: api.requests }
}

const answer = (status: number, body = '') => `${body}\n${status} ${body.length}\n`

const info = (nodeId: string) => answer(200, `{"Swarm":{"NodeID":"${nodeId}"}}`)

test('removes a volume through the engine of its node, and removes the remote command', async (t) => {
  const { engine, services, requests } = await engineWith(t, { output: info('node2') + answer(204) })
  await engine.removeVolume('berth-v', 'node2')
  assert.deepEqual([...services], [])
  const created = requests.find(({ path }) => path.endsWith('/services/create'))!.body as {
    TaskTemplate: { ContainerSpec: { Command: string[] } }
  }
  assert.ok(created.TaskTemplate.ContainerSpec.Command.includes('http://engine/volumes/berth-v'))
})

test('removes a volume that does not exist without an error', async (t) => {
  const output = info('node2') + answer(404, '{"message":"get berth-v: no such volume"}')
  await (await engineWith(t, { output })).engine.removeVolume('berth-v', 'node2')
})

const failures: [title: string, remote: RemoteBehaviour, messagePattern: RegExp][] = [
  ['a node that is down', { node: { Status: { State: 'down', Addr: '10.0.0.2' } } }, /two \(10\.0\.0\.2\) is down$/],
  ['a node that takes no tasks', { node: { Spec: { Availability: 'drain' } } }, /takes no tasks: .* is drain$/],
  [
    'an image without a shell',
    { state: 'failed', err: 'exec: "sh": executable file not found in $PATH' },
    /the remote command failed: exec: "sh": executable file not found/,
  ],
  [
    'an image without curl',
    { exitCode: 127, stderr: 'sh: 1: curl: not found' },
    /the remote command failed: .* curl: not found/,
  ],
  ['a program that ends without output', { exitCode: 137 }, /the remote command failed: exit code 137/],
  ['a missing socket', { state: 'rejected', err: 'bind source path does not exist' }, /does not exist/],
  ['a socket at which nobody listens', { exitCode: 7, stderr: 'curl: (7) Could not connect' }, /curl: \(7\)/],
  ['output without the last answer', { output: info('node2') }, /the output of the remote command is incomplete/],
  [
    'the engine of another swarm',
    { output: info('other') + answer(404) },
    /does not belong to this node of the swarm$/,
  ],
]
for (const [title, remote, messagePattern] of failures) {
  test(`reports nodeUnreachable for ${title}, and leaves no service`, async (t) => {
    const { engine, services } = await engineWith(t, remote)
    await assert.rejects(
      engine.removeVolume('berth-v', 'node2'),
      (error: unknown) =>
        error instanceof EngineFailure && error.reason === 'nodeUnreachable' && messagePattern.test(error.message),
    )
    assert.deepEqual([...services], [])
  })
}

test("throws the error message of the other node's engine", async (t) => {
  const output = info('node2') + answer(409, '{"message":"volume is in use"}')
  const { engine, services } = await engineWith(t, { output })
  await assert.rejects(
    engine.removeVolume('berth-v', 'node2'),
    (error: unknown) =>
      error instanceof EngineFailure && error.reason === 'conflict' && error.message === 'volume is in use',
  )
  assert.deepEqual([...services], [])
})

test('removes leftover remote commands of this and of older versions when the swarm is prepared', async (t) => {
  const { engine, services } = await engineWith(t, { leftovers: ['berth-remote-command-1', 'berth-errand-2'] })
  await engine.prepare()
  assert.deepEqual([...services], [])
})

test('keeps a remote command in progress when the swarm is prepared', async (t) => {
  const remote: RemoteBehaviour = { state: 'running', output: info('node2') + answer(204) }
  const { engine, services, requests } = await engineWith(t, remote)
  const removing = engine.removeVolume('berth-v', 'node2')
  await until('the remote command', async () => services.size > 0)
  await engine.prepare()
  assert.equal(services.size, 1)
  assert.ok(requests.every(({ method }) => method !== 'DELETE'))
  remote.state = 'complete'
  await removing
  assert.equal(services.size, 0)
})
