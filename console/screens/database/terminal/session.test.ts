import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession, SessionError, type SessionState } from './session.ts'

/** A WebSocket whose other side is the test. */
class FakeSocket extends EventTarget {
  readyState: number = WebSocket.CONNECTING
  binaryType = 'blob'
  readonly sent: (string | Uint8Array)[] = []
  closedWith: number | null = null
  send = (data: string | Uint8Array) => void this.sent.push(data)
  close = (code: number) => {
    this.closedWith = code
  }
  open() {
    this.readyState = WebSocket.OPEN
    this.dispatchEvent(new Event('open'))
  }
  receive(message: object | string) {
    const data = typeof message === 'string' ? new TextEncoder().encode(message).buffer : JSON.stringify(message)
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
  end() {
    this.readyState = WebSocket.CLOSED
    this.dispatchEvent(new Event('close'))
  }
}

function begin(refusal: unknown = new Error('not asked')) {
  const socket = new FakeSocket()
  let output = ''
  const session = openSession({
    ...{ columns: 80, rows: 24 },
    connect: () => socket as unknown as WebSocket,
    refusal: async () => refusal,
    onOutput: (bytes) => (output += new TextDecoder().decode(bytes)),
  })
  const states: SessionState['state'][] = []
  session.state.subscribe(({ state }) => states.push(state))
  return { socket, session, states, output: () => output }
}

test('passes output and input on, and tells the exit code', () => {
  const { socket, session, states, output } = begin()
  socket.open()
  session.send('too early is sent, too')
  socket.receive({ type: 'started' })
  socket.receive('shop=# ')
  session.send('select 6*7;\r')
  session.send(Uint8Array.of(255))
  socket.receive('42')
  socket.receive({ type: 'ended', exitCode: 2 })
  socket.end()
  assert.equal(socket.binaryType, 'arraybuffer')
  assert.equal(output(), 'shop=# 42')
  assert.deepEqual(
    socket.sent.slice(1).map((data) => Buffer.from(data as Uint8Array).toString('latin1')),
    ['select 6*7;\r', '\u00ff'],
  )
  assert.deepEqual(session.state.value, { state: 'ended', exitCode: 2 })
  assert.deepEqual(states, ['connecting', 'connected', 'ended'])
})

test('a long paste is divided into messages that Berth accepts', () => {
  const { socket, session } = begin()
  socket.open()
  session.send('é'.repeat(20_000))
  assert.deepEqual(
    socket.sent.map(({ length }) => length),
    [16_384, 16_384, 7232],
  )
  assert.equal(Buffer.concat(socket.sent as Uint8Array[]).toString(), 'é'.repeat(20_000))
})

test('sends the size when it changes, and one that changed before the connection was open', () => {
  const { socket, session } = begin()
  session.resize({ columns: 100, rows: 30 })
  assert.deepEqual(socket.sent, [])
  socket.open()
  session.resize({ columns: 100, rows: 30 })
  session.resize({ columns: 40, rows: 30 })
  assert.deepEqual(
    socket.sent.map((text) => JSON.parse(text as string)),
    [
      { type: 'resize', columns: 100, rows: 30 },
      { type: 'resize', columns: 40, rows: 30 },
    ],
  )
})

test("a failure has Berth's message, and what comes afterwards changes nothing", () => {
  const { socket, session } = begin()
  socket.open()
  socket.receive({ type: 'started' })
  socket.receive({ type: 'failed', code: 'IDLE', message: 'Nothing was typed for 30 minutes' })
  session.send('x')
  socket.end()
  session.close()
  const { state } = session
  assert.ok(state.value.state === 'failed' && state.value.error instanceof SessionError)
  assert.deepEqual([state.value.error.message, state.value.error.code], ['Nothing was typed for 30 minutes', 'IDLE'])
  assert.deepEqual(socket.sent, [])
})

test('a WebSocket that does not open fails with the refusal', async () => {
  const refusal = new Error('The database is stopped')
  const { socket, session } = begin(refusal)
  socket.end()
  await new Promise(setImmediate)
  assert.deepEqual(session.state.value, { state: 'failed', error: refusal })
})

test('a connection that breaks is lost, and one that the person ends is closed', () => {
  const broken = begin()
  broken.socket.open()
  broken.socket.end()
  assert.deepEqual(broken.session.state.value, { state: 'lost' })
  const ended = begin()
  ended.socket.open()
  ended.session.close()
  ended.socket.receive('late')
  ended.socket.end()
  assert.deepEqual(
    [ended.session.state.value, ended.socket.closedWith, ended.output()],
    [{ state: 'closed' }, 1000, ''],
  )
})
