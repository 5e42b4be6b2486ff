/** Remote commands that another node fails to carry out, and leftover ones. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { frame } from '../../../../test/engine/frame.ts'
import { until } from '../../../../test/engine/until.ts'
import { dockerEngine } from '../engine.ts'
import { EngineFailure } from '../../engine.ts'
import { remoteCommandRole, installationLabel, roleLabel } from '../../labels.ts'

interface Far {
  node?: { Status?: object; Spec?: object }
  /** How the task of the remote command ends, and what it prints. */
  state?: string
  err?: string
  output?: string
  exitCode?: number
  stderr?: string
  /** Names of remote commands that an earlier Berth process left. */
  left?: string[]
}

/** Both outputs, each up to the line with the command's name. */
function printed(name: string, { output = '', exitCode = 0, stderr }: Far): Buffer {
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

/** An engine on node1 of a swarm in which the test controls node2. */
async function engineWith(t: TestContext, far: Far) {
  const there = new Map((far.left ?? []).map((name) => [name, remoteCommand(name)]))
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
          ...far.node,
        },
      ]
    }
    if (path === '/services/create') {
      const { Name } = body as { Name: string }
      there.set(Name, remoteCommand(Name))
      return [201, { ID: `id-of-${Name}` }]
    }
    if (method === 'DELETE') return there.delete(path.slice('/services/'.length)) ? [200, {}] : [404, {}]
    if (path === '/services') return [200, [...there.values()]]
    if (path === '/tasks') return [200, [{ ID: 'task', Status: { State: far.state ?? 'complete', Err: far.err } }]]
    const [, name] = /^\/services\/id-of-(.*)\/logs$/.exec(path) ?? []
    if (name === undefined) return [404, { message: `${path} not found` }]
    response.writeHead(200)
    // Like a node that reconnected: followed logs arrive and have no end, other logs do not arrive.
    if (query.follow === '1') response.write(printed(name, far))
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
  return { engine, there, asked: api.asked }
}

const answer = (status: number, body = '') => `${body}\n${status} ${body.length}\n`

const info = (nodeId: string) => answer(200, `{"Swarm":{"NodeID":"${nodeId}"}}`)

test('removes a volume by the engine of its node, and removes the remote command', async (t) => {
  const { engine, there, asked } = await engineWith(t, { output: info('node2') + answer(204) })
  await engine.removeVolume('berth-v', 'node2')
  assert.deepEqual([...there], [])
  const made = asked.find(({ path }) => path.endsWith('/services/create'))!.body as {
    TaskTemplate: { ContainerSpec: { Command: string[] } }
  }
  assert.ok(made.TaskTemplate.ContainerSpec.Command.includes('http://engine/volumes/berth-v'))
})

test('removes a volume that does not exist without an error', async (t) => {
  const output = info('node2') + answer(404, '{"message":"get berth-v: no such volume"}')
  await (await engineWith(t, { output })).engine.removeVolume('berth-v', 'node2')
})

const unreached: [title: string, far: Far, words: RegExp][] = [
  ['a node that is down', { node: { Status: { State: 'down', Addr: '10.0.0.2' } } }, /two \(10\.0\.0\.2\) is down$/],
  ['a node that takes no tasks', { node: { Spec: { Availability: 'drain' } } }, /takes no tasks: .* is drain$/],
  [
    'an image without a shell',
    { state: 'failed', err: 'exec: "sh": executable file not found in $PATH' },
    /could not be asked: exec: "sh": executable file not found/,
  ],
  [
    'an image without curl',
    { exitCode: 127, stderr: 'sh: 1: curl: not found' },
    /could not be asked: .* curl: not found/,
  ],
  ['a program that ends without a word', { exitCode: 137 }, /could not be asked: exit code 137/],
  ['a socket that is not there', { state: 'rejected', err: 'bind source path does not exist' }, /does not exist/],
  ['a socket at which nobody listens', { exitCode: 7, stderr: 'curl: (7) Could not connect' }, /curl: \(7\)/],
  ['an answer that is cut', { output: info('node2') }, /did not arrive whole/],
  ['the engine of another swarm', { output: info('other') + answer(404) }, /is not that node's$/],
]
for (const [title, far, words] of unreached) {
  test(`${title}: fails, and leaves no remote command`, async (t) => {
    const { engine, there } = await engineWith(t, far)
    await assert.rejects(
      engine.removeVolume('berth-v', 'node2'),
      (error: unknown) =>
        error instanceof EngineFailure && error.reason === 'nodeUnreachable' && words.test(error.message),
    )
    assert.deepEqual([...there], [])
  })
}

test('passes on the error message of the other engine', async (t) => {
  const output = info('node2') + answer(409, '{"message":"volume is in use"}')
  const { engine, there } = await engineWith(t, { output })
  await assert.rejects(
    engine.removeVolume('berth-v', 'node2'),
    (error: unknown) =>
      error instanceof EngineFailure && error.reason === 'conflict' && error.message === 'volume is in use',
  )
  assert.deepEqual([...there], [])
})

test('removes leftover remote commands when the swarm is prepared', async (t) => {
  const { engine, there } = await engineWith(t, { left: ['berth-errand-1', 'berth-errand-2'] })
  await engine.prepare()
  assert.deepEqual([...there], [])
})

test('keeps a remote command that is in progress', async (t) => {
  const far: Far = { state: 'running', output: info('node2') + answer(204) }
  const { engine, there, asked } = await engineWith(t, far)
  const removing = engine.removeVolume('berth-v', 'node2')
  await until('the errand', async () => there.size > 0)
  await engine.prepare()
  assert.equal(there.size, 1)
  assert.ok(asked.every(({ method }) => method !== 'DELETE'))
  far.state = 'complete'
  await removing
  assert.equal(there.size, 0)
})
