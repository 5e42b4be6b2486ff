/** openapi.json describes GET /api/events as it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeEvent, ResetEvent } from '../../src/events/fields.ts'
import { eventsPathItem } from '../../src/http/openapi-events.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

interface Parameter {
  name: string
  in: string
}

const { parameters, responses } = eventsPathItem().get as {
  parameters: Parameter[]
  responses: Record<string, unknown>
}

test('the document has all parameters of the stream of events', () => {
  assert.deepEqual(
    parameters.map((each) => `${each.in} ${each.name}`),
    ['header Last-Event-ID', 'query kind', 'query projectId', 'query id', 'query lastEventId'],
  )
})

test('the data of events fits the schemas of the document', async () => {
  await using testBerth = await startTestBerth()
  const url = await testBerth.listen()
  const headers = { authorization: `Bearer ${testBerth.admin}` }
  await using end = new AsyncDisposableStack()
  const dataAfter = async (lastEventId: string) => {
    const aborter = new AbortController()
    end.defer(() => aborter.abort())
    const init = { headers: { ...headers, 'last-event-id': lastEventId }, signal: aborter.signal }
    const response = await fetch(`${url}/api/events`, init)
    assert.match(response.headers.get('content-type')!, /^text\/event-stream/)
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const data = /^data: (.*)$/m.exec(text)?.[1]
      if (data !== undefined) return JSON.parse(data) as unknown
    }
    return assert.fail('the stream has ended')
  }
  assert.equal(ChangeEvent.parse(await dataAfter('0')).id, '1')
  const beyond = await dataAfter('999999')
  assert.deepEqual(ResetEvent.strict().parse(beyond), beyond)
})

test('the document has the status codes of refused streams', async () => {
  await using testBerth = await startTestBerth()
  const url = await testBerth.listen()
  const authorization = `Bearer ${testBerth.admin}`
  const cases: [query: string, headers: Record<string, string>, status: number][] = [
    ['', {}, 401],
    ['', { authorization: 'Bearer unknown' }, 401],
    ['kind=nothing', { authorization }, 400],
    ['kind=', { authorization }, 400],
    ['id=a&id=b', { authorization }, 400],
    ['lastEventId=x', { authorization }, 400],
    ['', { authorization, 'last-event-id': '-1' }, 400],
  ]
  for (const [query, headers, status] of cases) {
    const response = await fetch(`${url}/api/events?${query}`, { headers })
    assert.equal(response.status, status, `${query}: ${await response.text()}`)
    assert.ok(Object.hasOwn(responses, status), `${status}`)
  }
})
