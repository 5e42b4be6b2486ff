/** Tests of the stream of events over HTTP. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBerth } from '../fixtures/harness.ts'

const berth = await startBerth()
after(() => berth.close())
const url = await berth.listen()
const { token } = await berth.admin()

interface Message {
  id: string
  event: string
  data: Record<string, unknown> | null
}

/** Reads messages of a stream until `isEnough` is true of them. */
async function read(path: string, isEnough: (all: Message[]) => boolean, headers: Record<string, string> = {}) {
  const abort = new AbortController()
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: AbortSignal.any([abort.signal, AbortSignal.timeout(10_000)]),
  })
  assert.equal(response.status, 200, await (response.ok ? '' : response.text()))
  const all: Message[] = []
  let rest = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split('\n\n')
    rest = parts.pop()!
    for (const part of parts) {
      const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s)))
      all.push({ id: fields.id, event: fields.event ?? 'message', data: fields.data ? JSON.parse(fields.data) : null })
    }
    if (isEnough(all)) break
  }
  abort.abort()
  return all
}

test('sends a change as soon as it is committed', async () => {
  const reading = read('/api/events?kind=project', (all) => all.some(({ data }) => data !== null))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const { body } = await berth.call('project.create', { name: 'shop' })
  const { data } = (await reading).find((each) => each.data !== null)!
  console.log(data)
  assert.deepEqual([data?.kind, data?.change, data?.recordId], ['project', 'created', body.projectId])
})
