/** Jobs on a fake API: the order of the requests, and failures that a test cannot provoke in a real engine. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type http from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import type { Answers } from '../../../../test/engine/fake-api.ts'
import { frame } from '../../../../test/engine/frame.ts'
import { dockerEngine } from '../engine.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { Job } from '../../job.ts'
import { installationLabel, jobLabel } from '../../labels.ts'

const job: Job = { name: 'j', recordId: 'r', image: 'i:1', argv: ['dump'], env: {}, stdin: false }
const neverAborted = new AbortController().signal

/** The engine's side of the connections of a job. */
interface JobConnections {
  output: Duplex
  input: Duplex
  /** The answer to the request that waits for the exit code. */
  wait: http.ServerResponse
}

/** @param answers overrides the default answers, except where it returns undefined */
async function engineWith(t: TestContext, answers: Answers = () => undefined) {
  const connections: Partial<JobConnections> = {}
  const api = await fakeApi(
    ({ path, ...rest }, response) => {
      const request = { ...rest, path: path.slice(6) }
      const answer = answers(request, response)
      if (answer !== undefined || response.headersSent) return answer
      if (request.path !== '/containers/c/wait') return [200, { Id: 'c', State: { OOMKilled: false } }]
      connections.wait = response
      response.writeHead(200).flushHeaders()
      return undefined
    },
    '1.41',
    ({ query }, socket) => {
      connections['stdin' in query ? 'input' : 'output'] = socket
    },
  )
  t.after(api.close)
  const { dockerHost } = api
  const engine = dockerEngine({ dockerHost, installationId: 'mine', networkName: 'berth', timeoutMs: 2000 })
  return {
    engine,
    connections: connections as JobConnections,
    paths: () => api.requests.map(({ method, path }) => `${method} ${path.slice(6)}`),
  }
}

const unavailable = (messagePattern: RegExp) => (error: Error) =>
  error instanceof EngineUnavailable && messagePattern.test(error.message)
const exited = (code: number) => JSON.stringify({ StatusCode: code, Error: null })

test('attaches to a job before its start, and removes it after its exit code', async (t) => {
  const { engine, connections, paths } = await engineWith(t)
  const running = await engine.runJob({ ...job, files: [{ path: '/a', content: 'x', mode: 0o600 }] }, neverAborted)
  connections.output.end(Buffer.concat([frame(1, 'out'), frame(2, 'oh'), frame(1, 'put')]))
  connections.wait.end(exited(4))
  assert.equal(await text(running.stdout), 'output')
  assert.deepEqual(await running.ended, { exitCode: 4, outOfMemory: false, lastLines: 'oh' })
  assert.deepEqual(paths(), [
    'GET /images/i%3A1/json',
    'POST /containers/create',
    'PUT /containers/c/archive',
    'POST /containers/c/wait',
    'POST /containers/c/start',
    'GET /containers/c/json',
    'DELETE /containers/c',
  ])
})

const cuts: [title: string, cut: (connections: JobConnections) => void, messagePattern: RegExp][] = [
  [
    'output that ends within a frame',
    ({ output, wait }) => {
      output.end(frame(1, 'output').subarray(0, 11))
      wait.end(exited(0))
    },
    /connection to the job broke/,
  ],
  [
    'output that ends within a header',
    ({ output, wait }) => {
      output.end(Buffer.concat([frame(1, 'out'), frame(1, 'put').subarray(0, 4)]))
      wait.end(exited(0))
    },
    /connection to the job broke/,
  ],
  [
    'a crash of the engine',
    ({ output, wait }) => {
      output.end(frame(1, 'out'))
      wait.socket?.destroy()
    },
    /does not answer/,
  ],
  [
    'a shutdown of the engine',
    ({ output, wait }) => {
      output.end(frame(1, 'out'))
      wait.end()
    },
    /reports no exit code of the job/,
  ],
  [
    'an exit code with an error of the engine',
    ({ output, wait }) => {
      output.end(frame(1, 'out'))
      wait.end(JSON.stringify({ StatusCode: 0, Error: { Message: 'gone' } }))
    },
    /reports no exit code of the job: gone/,
  ],
]
for (const [title, cut, messagePattern] of cuts) {
  test(`fails the job after ${title}`, async (t) => {
    const { engine, connections, paths } = await engineWith(t)
    const running = await engine.runJob(job, neverAborted)
    cut(connections)
    await assert.rejects(text(running.stdout), unavailable(messagePattern))
    await assert.rejects(running.ended, unavailable(messagePattern))
    assert.equal(paths().at(-1), 'DELETE /containers/c')
  })
}

test('fails the job when its output ends while the program runs', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { engine, connections } = await engineWith(t)
  const running = await engine.runJob(job, neverAborted)
  connections.output.end(frame(1, 'out'))
  const failed = assert.rejects(running.ended, unavailable(/while the program was running/))
  const reading = assert.rejects(text(running.stdout), EngineUnavailable)
  let isOver = false
  void failed.then(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    t.mock.timers.tick(100)
  }
  await Promise.all([failed, reading])
})

test('leaves the input of a stopped job open until the container is removed', async (t) => {
  const events: string[] = []
  const { engine, connections } = await engineWith(t, ({ method }, response) => {
    if (method !== 'DELETE') return
    response.writeHead(200).flushHeaders()
    // The end of the input would arrive before the answer.
    setImmediate(() => setImmediate(() => response.end('{}', () => events.push('removed'))))
  })
  const running = await engine.runJob({ ...job, stdin: true }, neverAborted)
  connections.input.once('end', () => events.push('closed'))
  await new Promise((resolve) => running.stdin!.write('a beginning', resolve))
  running.stdin!.destroy(new Error('The dump differs'))
  await assert.rejects(running.ended)
  if (!connections.input.readableEnded) await once(connections.input, 'end')
  assert.deepEqual(events, ['removed', 'closed'])
})

test('reports the exit code if the container cannot be removed, and stop throws that failure', async (t) => {
  const busy = [500, { message: 'busy' }] as [number, unknown]
  const { engine, connections } = await engineWith(t, ({ method }) => (method === 'DELETE' ? busy : undefined))
  const first = await engine.runJob(job, neverAborted)
  connections.output.end(frame(1, 'out'))
  connections.wait.end(exited(0))
  assert.equal(await text(first.stdout), 'out')
  assert.equal((await first.ended).exitCode, 0)
  const second = await engine.runJob(job, neverAborted)
  await assert.rejects(second.stop(), /busy/)
})

test('removes the container of a job that cannot be started, and frees its name', async (t) => {
  const refusal = [400, { message: 'no such program' }] as [number, unknown]
  const { engine, paths } = await engineWith(t, ({ path }) => (path.endsWith('/start') ? refusal : undefined))
  const isRefused = (error: Error) => error instanceof EngineFailure && error.message === 'no such program'
  for (const variant of [job, { ...job, stdin: true }]) {
    await assert.rejects(engine.runJob(variant, neverAborted), isRefused)
    assert.equal(paths().at(-1), 'DELETE /containers/c')
  }
})

test('retries the start of a job while the node does not know the network yet', async (t) => {
  let failures = 3
  const { engine, paths } = await engineWith(t, ({ path }) => {
    if (path === '/networks') {
      return [200, [{ Name: 'berth', Driver: 'overlay', Scope: 'swarm', Attachable: true, IPAM: {} }]]
    }
    return path.endsWith('/start') && failures-- > 0 ? [404, { message: 'network abc not found' }] : undefined
  })
  const running = await engine.runJob(job, neverAborted)
  assert.equal(paths().filter((path) => path.endsWith('/start')).length, 4)
  await running.stop()
  assert.equal(paths().filter((path) => path.startsWith('DELETE')).length, 4)
})

test('pulls one tag of a missing image, and reports a failure during the pull', async (t) => {
  const lines = [{ status: 'Pulling' }, { errorDetail: {}, error: 'disk full' }]
  let isFailing = false
  const { engine, paths } = await engineWith(t, ({ path, query }, response) => {
    if (path.startsWith('/images/') && path.endsWith('/json')) return [404, { message: 'No such image: i' }]
    if (path !== '/images/create') return undefined
    assert.deepEqual(query, { fromImage: 'r:5000/i', tag: 'latest' })
    response.writeHead(200).end(
      lines
        .slice(0, isFailing ? 2 : 1)
        .map((it) => `${JSON.stringify(it)}\r\n`)
        .join(''),
    )
    return undefined
  })
  const untagged = { ...job, image: 'r:5000/i' }
  await (await engine.runJob(untagged, neverAborted)).stop()
  assert.ok(paths().includes('POST /containers/c/start'))
  isFailing = true
  await assert.rejects(
    engine.runJob(untagged, neverAborted),
    (error: Error) => error instanceof EngineFailure && /^No such image: r:5000\/i, .*: disk full$/.test(error.message),
  )
})

test('ends a pull when the signal is aborted', async (t) => {
  const controller = new AbortController()
  const { engine } = await engineWith(t, ({ path }, response) => {
    if (path.startsWith('/images/') && path.endsWith('/json')) return [404, { message: 'No such image: i' }]
    if (path !== '/images/create') return undefined
    response.writeHead(200).write('{"status":"Pulling"}\r\n', () => controller.abort())
    return undefined
  })
  await assert.rejects(engine.runJob(job, controller.signal), { name: 'JobStopped' })
})

test('does not replace a container of the same name that is not a job of this installation', async (t) => {
  const labels: Record<string, string>[] = [
    {},
    { [jobLabel]: 'r' },
    { [installationLabel]: 'mine' },
    { [installationLabel]: 'other', [jobLabel]: 'r' },
  ]
  const conflict = [409, { message: 'Conflict. The container name "/j" is already in use' }] as [number, unknown]
  for (const Labels of labels) {
    const { engine, paths } = await engineWith(t, ({ path }) => {
      if (path === '/containers/create') return conflict
      return path === '/containers/j/json' ? [200, { Id: 'other', Config: { Labels } }] : undefined
    })
    await assert.rejects(
      engine.runJob(job, neverAborted),
      (error: Error) =>
        error instanceof EngineFailure &&
        error.reason === 'conflict' &&
        /not a job of this Berth installation/.test(error.message),
    )
    assert.ok(!paths().some((path) => path.startsWith('DELETE')))
  }
})

test('waits while an earlier request uses the name of a job, then removes the container it created', async (t) => {
  let creates = 0
  const labels = { [installationLabel]: 'mine', [jobLabel]: 'r' }
  const { engine, connections, paths } = await engineWith(t, ({ path }) => {
    if (path === '/containers/create' && ++creates < 3) return [409, { message: 'Conflict. The name is in use' }]
    if (path !== '/containers/j/json') return undefined
    if (creates === 1) return [404, { message: 'No such container: j' }]
    return [200, { Id: 'left', Config: { Labels: labels } }]
  })
  const running = await engine.runJob(job, neverAborted)
  connections.output.end()
  connections.wait.end(exited(0))
  running.stdout.resume()
  await running.ended
  assert.deepEqual(paths().slice(1, 7), [
    'POST /containers/create',
    'GET /containers/j/json',
    'POST /containers/create',
    'GET /containers/j/json',
    'DELETE /containers/left',
    'POST /containers/create',
  ])
})
