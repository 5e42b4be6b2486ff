/** Opens sessions at a Berth that listens on a port, and collects what they answer. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { subprotocol } from '../../src/sessions/protocol.ts'

export interface Refusal {
  status: number
  body: { code?: string; message?: string; issues?: { path: string }[] }
}

export type OpenSession = ReturnType<typeof sessionOn>

export interface SessionInput {
  databaseId: string
  mode?: string
  columns?: number
  rows?: number
  argument?: string[]
}

export interface Handshake {
  token?: string | null
  headers?: Record<string, string>
  protocols?: string[]
}

export function pathOf({ mode = 'client', argument = [], ...input }: SessionInput): string {
  const pairs = Object.entries({ ...input, mode }).map(([name, value]) => [name, String(value)])
  return `/api/database.openSession?${new URLSearchParams([...pairs, ...argument.map((text) => ['argument', text])])}`
}

/** Opens a session. Answers the refusal instead if Berth refuses it before the upgrade. */
export async function open(
  url: string,
  input: SessionInput,
  { token = null, headers = {}, protocols = [subprotocol] }: Handshake,
): Promise<OpenSession | Refusal> {
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(url.replace(/^http/, 'ws') + pathOf(input), protocols, {
    headers: { ...authorization, ...headers },
  })
  const session = sessionOn(socket)
  const opened = once(socket, 'open').then(() => session)
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    const { statusCode = 0 } = response as IncomingMessage
    const text = (await Array.fromAsync(response as IncomingMessage)).join('')
    return { status: statusCode, body: JSON.parse(text) as Refusal['body'] }
  })
  return Promise.race([opened, refused])
}

function sessionOn(socket: WebSocket) {
  const messages: { type: string; [name: string]: unknown }[] = []
  const output: Buffer[] = []
  const closed = Promise.withResolvers<number>()
  socket.on('message', (data, isBinary) => {
    if (isBinary) output.push(data as Buffer)
    else messages.push(JSON.parse(String(data)))
  })
  socket.on('close', (code) => closed.resolve(code))
  return {
    socket,
    messages,
    /** The code of the closing handshake. */
    closed: closed.promise,
    text: () => Buffer.concat(output).toString(),
    /** Standard error. */
    errors: () => messages.map(({ type, text }) => (type === 'stderr' ? String(text) : '')).join(''),
    send: (bytes: string | Buffer) => socket.send(Buffer.from(bytes), { binary: true }),
    post: (message: object) => socket.send(JSON.stringify(message)),
  }
}
