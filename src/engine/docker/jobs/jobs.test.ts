/** Jobs on a failing engine: failures that a real engine does not show on request. */
import assert from 'node:assert/strict'
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
const never = new AbortController().signal

/** An engine on which one job runs, as a test sees it. */
interface Ends {
  output: Duplex
  input: Duplex
  wait: http.ServerResponse
}

/** @param more answers before the defaults, unless it returns undefined */
async function engineOver(t: TestContext, more: Answers = () => undefined) {
  const ends: Partial<Ends> = {}
  const it = await fakeApi(
    ({ path, ...rest }, response) => {
      const asked = { ...rest, path: path.slice(6) }
      const answer = more(asked, response)
      if (answer !== undefined || response.headersSent) return answer
      if (asked.path !== '/containers/c/wait') return [200, { Id: 'c', State: { OOMKilled: false } }]
      ends.wait = response
      response.writeHead(200).flushHeaders()
      return undefined
    },
    '1.41',
    ({ query }, socket) => {
      ends['stdin' in query ? 'input' : 'output'] = socket
    },
  )
  t.after(it.close)
  const { dockerHost } = it
  const engine = dockerEngine({ dockerHost, installationId: 'mine', networkName: 'berth', timeoutMs: 2000 })
  return { engine, ends: ends as Ends, paths: () => it.asked.map(({ method, path }) => `${method} ${path.slice(6)}`) }
}

const unavailable = (words: RegExp) => (error: Error) => error instanceof EngineUnavailable && words.test(error.message)
const exited = (code: number) => JSON.stringify({ StatusCode: code, Error: null })

test('attaches to a job before its start, and removes it after its exit code', async (t) => {
  const { engine, ends, paths } = await engineOver(t)
  const it = await engine.runJob({ ...job, files: [{ path: '/a', content: 'x', mode: 0o600 }] }, never)
  ends.output.end(Buffer.concat([frame(1, 'out'), frame(2, 'oh'), frame(1, 'put')]))
  ends.wait.end(exited(4))
  assert.equal(await text(it.stdout), 'output')
  assert.deepEqual(await it.ended, { exitCode: 4, oomKilled: false, lastLines: 'oh' })
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

const cuts: [title: string, cut: (ends: Ends) => void, words: RegExp][] = [
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
    'an engine that dies',
    ({ output, wait }) => {
      output.end(frame(1, 'out'))
      wait.socket?.destroy()
    },
    /does not answer/,
  ],
  [
    'an engine that ends in order',
    ({ output, wait }) => {
      output.end(frame(1, 'out'))
      wait.end()
    },
    /does not know how the job ended/,
  ],
  [
    'an engine that lost sight of it',
    ({ output, wait }) => {
      output.end(frame(1, 'out'))
      wait.end(JSON.stringify({ StatusCode: 0, Error: { Message: 'gone' } }))
    },
    /does not know how the job ended: gone/,
  ],
]
for (const [title, cut, words] of cuts) {
  test(`fails the job: ${title}`, async (t) => {
    const { engine, ends, paths } = await engineOver(t)
    const it = await engine.runJob(job, never)
    cut(ends)
    await assert.rejects(text(it.stdout), unavailable(words))
    await assert.rejects(it.ended, unavailable(words))
    assert.equal(paths().at(-1), 'DELETE /containers/c')
  })
}

test('fails when the output ends while the program runs', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { engine, ends } = await engineOver(t)
  const it = await engine.runJob(job, never)
  ends.output.end(frame(1, 'out'))
  const failed = assert.rejects(it.ended, unavailable(/the program runs on/))
  const reading = assert.rejects(text(it.stdout), EngineUnavailable)
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

test('keeps the exit code when the removal fails, and reports the failure from stop', async (t) => {
  const busy = [500, { message: 'busy' }] as [number, unknown]
  const { engine, ends } = await engineOver(t, ({ method }) => (method === 'DELETE' ? busy : undefined))
  const first = await engine.runJob(job, never)
  ends.output.end(frame(1, 'out'))
  ends.wait.end(exited(0))
  assert.equal(await text(first.stdout), 'out')
  assert.equal((await first.ended).exitCode, 0)
  const second = await engine.runJob(job, never)
  await assert.rejects(second.stop(), /busy/)
})

test('leaves nothing of a job that cannot be started, and frees its name', async (t) => {
  const refusal = [400, { message: 'no such program' }] as [number, unknown]
  const { engine, paths } = await engineOver(t, ({ path }) => (path.endsWith('/start') ? refusal : undefined))
  const words = (error: Error) => error instanceof EngineFailure && error.message === 'no such program'
  for (const one of [job, { ...job, stdin: true }]) {
    await assert.rejects(engine.runJob(one, never), words)
    assert.equal(paths().at(-1), 'DELETE /containers/c')
  }
})

test('retries while the node does not know the network yet', async (t) => {
  let left = 3
  const { engine, paths } = await engineOver(t, ({ path }) => {
    if (path === '/networks') {
      return [200, [{ Name: 'berth', Driver: 'overlay', Scope: 'swarm', Attachable: true, IPAM: {} }]]
    }
    return path.endsWith('/start') && left-- > 0 ? [404, { message: 'network abc not found' }] : undefined
  })
  const it = await engine.runJob(job, never)
  assert.equal(paths().filter((path) => path.endsWith('/start')).length, 4)
  await it.stop()
  assert.equal(paths().filter((path) => path.startsWith('DELETE')).length, 4)
})

test('pulls one tag of a missing image, and reports a failure in the middle', async (t) => {
  const lines = [{ status: 'Pulling' }, { errorDetail: {}, error: 'disk full' }]
  let isFailing = false
  const { engine, paths } = await engineOver(t, ({ path, query }, response) => {
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
  await (await engine.runJob(untagged, never)).stop()
  assert.ok(paths().includes('POST /containers/c/start'))
  isFailing = true
  await assert.rejects(
    engine.runJob(untagged, never),
    (error: Error) => error instanceof EngineFailure && /^No such image: r:5000\/i, .*: disk full$/.test(error.message),
  )
})

test('ends a pull by the signal', async (t) => {
  const calledOff = new AbortController()
  const { engine } = await engineOver(t, ({ path }, response) => {
    if (path.startsWith('/images/') && path.endsWith('/json')) return [404, { message: 'No such image: i' }]
    if (path !== '/images/create') return undefined
    response.writeHead(200).write('{"status":"Pulling"}\r\n', () => calledOff.abort())
    return undefined
  })
  await assert.rejects(engine.runJob(job, calledOff.signal), { name: 'JobStopped' })
})

test('replaces a container of the same name only if it is one of its jobs', async (t) => {
  const labels: Record<string, string>[] = [
    {},
    { [jobLabel]: 'r' },
    { [installationLabel]: 'mine' },
    { [installationLabel]: 'theirs', [jobLabel]: 'r' },
  ]
  const conflict = [409, { message: 'Conflict. The container name "/j" is already in use' }] as [number, unknown]
  for (const Labels of labels) {
    const { engine, paths } = await engineOver(t, ({ path }) => {
      if (path === '/containers/create') return conflict
      return path === '/containers/j/json' ? [200, { Id: 'other', Config: { Labels } }] : undefined
    })
    await assert.rejects(
      engine.runJob(job, never),
      (error: Error) =>
        error instanceof EngineFailure &&
        error.reason === 'conflict' &&
        /not a job of this installation/.test(error.message),
    )
    assert.ok(!paths().some((path) => path.startsWith('DELETE')))
  }
})

test('waits for a name that an earlier request still holds, and replaces its container', async (t) => {
  let creates = 0
  const labels = { [installationLabel]: 'mine', [jobLabel]: 'r' }
  const { engine, ends, paths } = await engineOver(t, ({ path }) => {
    if (path === '/containers/create' && ++creates < 3) return [409, { message: 'Conflict. The name is in use' }]
    if (path !== '/containers/j/json') return undefined
    if (creates === 1) return [404, { message: 'No such container: j' }]
    return [200, { Id: 'left', Config: { Labels: labels } }]
  })
  const it = await engine.runJob(job, never)
  ends.output.end()
  ends.wait.end(exited(0))
  it.stdout.resume()
  await it.ended
  const made = paths().slice(1, 7)
  assert.deepEqual(made, [
    'POST /containers/create',
    'GET /containers/j/json',
    'POST /containers/create',
    'GET /containers/j/json',
    'DELETE /containers/left',
    'POST /containers/create',
  ])
})
