/** A real HTTP server that receives messages of channels, and answers as a test says. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestBerth } from '../fixtures/test-berth.ts'

export interface Received {
  id: string
  type: string
  text: string
  data: {
    title: string
    key: string
    conditions: { name: string; subjectName: string; path: string | null; reason: string }[]
    more: number
  }
}

export type Answer = (response: ServerResponse) => void

const accept: Answer = (response) => void response.writeHead(204).end()
export const answerStatus =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end('not now')
/** Leaves the request without an answer. */
export const hang: Answer = () => undefined

/** Closed at the end of the scope. */
export async function startReceiver() {
  const received: Received[] = []
  let answer = accept
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('')
    const { type, data } = JSON.parse(text) as Received
    received.push({ id: String(request.headers['webhook-id']), type, text, data })
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook-path-secret`,
    received,
    answerWith(next: Answer) {
      answer = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const acceptAll = accept

/** Creates a webhook channel. Returns its id. */
export async function addChannel(testBerth: TestBerth, url: string, fields: object = {}): Promise<string> {
  const input = { name: 'ops', type: 'webhook', url, ...fields }
  return (await testBerth.ok<{ channelId: string }>('channel.create', input)).channelId
}

/** Waits until the receiver has this many messages. Wakes the loop. */
export async function untilReceived(testBerth: TestBerth, received: readonly Received[], count: number) {
  await testBerth.until(`${count} messages`, async () => {
    testBerth.app.wake('alerts')
    return received.length >= count || null
  })
  assert.equal(received.length, count, JSON.stringify(received.map(({ data }) => data.title)))
  return received.at(-1)!
}

interface ChannelState {
  queued: number
  gaveUp: number
  lastErrorCode: string | null
  lastError: string | null
  lastSuccessAt: string | null
}

export const readChannel = (testBerth: TestBerth, channelId: string) =>
  testBerth.ok<ChannelState>('channel.one', { channelId })

/** Waits until the channel has such a state. */
export const untilChannel = (testBerth: TestBerth, channelId: string, isReached: (state: ChannelState) => boolean) =>
  testBerth.until('the state of the channel', async () => {
    testBerth.app.wake('alerts')
    const state = await readChannel(testBerth, channelId)
    return isReached(state) ? state : null
  })
