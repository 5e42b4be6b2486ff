/** A session with a database's own client: the protocol `berth.session.v1` over a WebSocket. It draws nothing. */
import { type ReadonlySignal, signal } from '@preact/signals'

export type SessionState =
  /** Berth starts the container. */
  | { state: 'connecting' }
  | { state: 'connected' }
  /** The client has ended by itself. */
  | { state: 'ended'; exitCode: number }
  /** Berth has refused the session, or ended it. */
  | { state: 'failed'; error: unknown }
  | { state: 'lost' }
  /** The person has ended it. */
  | { state: 'closed' }

export interface Size {
  columns: number
  rows: number
}

export interface SessionOptions extends Size {
  /** Opens the WebSocket. */
  connect: () => WebSocket
  /** Why the WebSocket did not open. A browser does not tell it. */
  refusal: () => Promise<unknown>
  onOutput: (bytes: Uint8Array) => void
}

export interface Session {
  state: ReadonlySignal<SessionState>
  /** Sends what was typed or pasted. Without a connection it is dropped. */
  send(input: string | Uint8Array): void
  resize(size: Size): void
  /** Ends the session. Berth removes its container. */
  close(): void
}

export const protocol = 'berth.session.v1'

/** Berth refuses larger messages. */
const maxFrameBytes = 16_384

/** The failure of a session, in Berth's words. */
export class SessionError extends Error {
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

type ServerMessage =
  | { type: 'started' }
  | { type: 'ended'; exitCode: number }
  | { type: 'failed'; code: string; message: string }
  | { type: 'stderr'; text: string }

export const isOver = ({ state }: SessionState): boolean => state !== 'connecting' && state !== 'connected'

export function openSession({ connect, refusal, onOutput, ...size }: SessionOptions): Session {
  const state = signal<SessionState>({ state: 'connecting' })
  const socket = connect()
  let isOpen = false
  let { columns, rows } = size
  const finish = (last: SessionState) => {
    if (!isOver(state.peek())) state.value = last
  }
  const sendMessage = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('open', () => {
    isOpen = true
    // The window may have changed since the request.
    if (columns !== size.columns || rows !== size.rows) sendMessage({ type: 'resize', columns, rows })
  })
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === 'string') receive(JSON.parse(data) as ServerMessage)
    else if (!isOver(state.peek())) onOutput(new Uint8Array(data))
  })
  socket.addEventListener('close', () => {
    if (isOpen) finish({ state: 'lost' })
    else if (!isOver(state.peek())) void refusal().then((error) => finish({ state: 'failed', error }))
  })
  return { state, send, resize, close }

  function receive(message: ServerMessage) {
    if (message.type === 'started' && !isOver(state.peek())) state.value = { state: 'connected' }
    if (message.type === 'ended') finish({ state: 'ended', exitCode: message.exitCode })
    if (message.type === 'failed') {
      finish({ state: 'failed', error: new SessionError(message.message, message.code) })
    }
  }

  function send(input: string | Uint8Array) {
    if (socket.readyState !== WebSocket.OPEN || isOver(state.peek())) return
    const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input
    for (let at = 0; at < bytes.length; at += maxFrameBytes) socket.send(bytes.slice(at, at + maxFrameBytes))
  }

  function resize(next: Size) {
    if (next.columns === columns && next.rows === rows) return
    columns = next.columns
    rows = next.rows
    sendMessage({ type: 'resize', columns, rows })
  }

  function close() {
    finish({ state: 'closed' })
    socket.close(1000)
  }
}
