/** The connection of a session: a WebSocket to database.openSession. docs/sessions.md describes the messages. */
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { BerthError } from '../../client/client.ts'
import { connectionLost } from '../../client/request.ts'
import type { Target } from '../connection/contexts.ts'
import { CommandError, type ExitClass } from '../exit.ts'

export interface SessionInput {
  databaseId: string
  mode: 'client' | 'tunnel' | 'dump'
  terminal?: { columns: number; rows: number }
  args?: readonly string[]
}

export interface SessionOutput {
  /** Takes bytes of the output. The connection reads on when the promise resolves. */
  bytes(bytes: Buffer): Promise<void>
  /** Takes standard error, in the same way. */
  errors(text: string): Promise<void>
}

export interface SessionConnection {
  /** Sends input. Resolves when the connection can take more. Input after the end of the session is lost. */
  send(bytes: Buffer): Promise<void>
  endInput(): void
  resize(columns: number, rows: number): void
  /** Resolves with the exit code of the program. Rejects with CommandError or BerthError. */
  readonly ended: Promise<number>
  close(): void
}

const subprotocol = 'berth.session.v1'
const connectMs = 30_000
/** While fewer bytes of output wait to be written, the connection reads on. */
const maxWaitingBytes = 1024 * 1024
/** Berth sends a ping every 30 seconds. After this time without one the connection is lost. */
const maxSilenceMs = 95_000
const silenceCheckMs = 5_000

/**
 * Opens a session.
 * @throws BerthError if Berth refuses it or does not answer
 */
export async function connectSession(
  { url, token }: Pick<Target, 'url' | 'token'>,
  input: SessionInput,
  output: SessionOutput,
): Promise<SessionConnection> {
  const { WebSocket } = await import('ws')
  const address = `${url.replace(/\/*$/, '')}/api/database.openSession?${queryOf(input)}`
  const socket = new WebSocket(address.replace(/^http/, 'ws'), subprotocol, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: connectMs,
    perMessageDeflate: false,
  })
  // Messages may arrive in the same turn as the handshake.
  const connection = connectionOn(socket, url, output)
  const refused = Promise.withResolvers<never>()
  socket.once('unexpected-response', (_request, response) => {
    refusalOf(response, url).then(refused.reject, refused.reject)
  })
  const opened = new Promise((resolve) => socket.once('open', resolve))
  try {
    await Promise.race([opened, refused.promise, connection.ended])
  } catch (error) {
    socket.terminate()
    throw error
  }
  return connection
}

function queryOf({ databaseId, mode, terminal, args = [] }: SessionInput): URLSearchParams {
  const size = terminal === undefined ? [] : Object.entries(terminal).map(([name, value]) => [name, String(value)])
  return new URLSearchParams([
    ['databaseId', databaseId],
    ['mode', mode],
    ...(size as [string, string][]),
    ...args.map((text): [string, string] => ['argument', text]),
  ])
}

async function refusalOf(response: IncomingMessage, url: string): Promise<BerthError> {
  const status = response.statusCode ?? 0
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  const fields = { status, requestId: response.headers['x-request-id']?.toString() ?? null }
  try {
    const { message, code, issues, reason } = JSON.parse(text)
    if (typeof code === 'string') return new BerthError(message, { ...fields, code: code as never, issues, reason })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const hint = 'A proxy in front of Berth has to pass on WebSockets'
  return new BerthError(`${url} answers HTTP ${status}, but not as Berth does. ${hint}`, {
    ...fields,
    code: 'NOT_BERTH',
  })
}

type ServerMessage =
  | { type: 'started' }
  | { type: 'stderr'; text: string }
  | { type: 'ended'; exitCode: number }
  | { type: 'failed'; code: string; message: string }

function connectionOn(socket: WebSocket, url: string, output: SessionOutput): SessionConnection {
  const ended = Promise.withResolvers<number>()
  ended.promise.catch(() => undefined)
  const lost = (reason: string) => ended.reject(connectionLost(url, new Error(reason)))
  const stopWatch = watchServer(socket, () => lost('nothing has arrived for 95 s'))
  /** Resolves when all output before was taken. */
  let taken = Promise.resolve()
  let waitingBytes = 0
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    waitingBytes += data.length
    if (waitingBytes > maxWaitingBytes) socket.pause()
    taken = taken
      .then(() => take(data, isBinary))
      .catch((error: Error) => ended.reject(error))
      .finally(() => {
        waitingBytes -= data.length
        if (waitingBytes <= maxWaitingBytes) socket.resume()
      })
  })
  socket.on('error', (error) => ended.reject(connectionLost(url, error)))
  socket.on('close', () => {
    // The last message may still be waiting for the output before it.
    void taken.then(() => lost('the connection broke'))
  })
  ended.promise.then(end, end)
  return {
    ended: ended.promise,
    send: (bytes) =>
      new Promise((resolve) => {
        socket.send(bytes, { binary: true }, () => resolve())
      }),
    endInput: () => post({ type: 'endInput' }),
    resize: (columns, rows) => post({ type: 'resize', columns, rows }),
    close: () => socket.close(1000),
  }

  async function take(data: Buffer, isBinary: boolean) {
    if (isBinary) return output.bytes(data)
    const message = JSON.parse(data.toString()) as ServerMessage
    if (message.type === 'stderr') return output.errors(message.text)
    if (message.type === 'ended') ended.resolve(message.exitCode)
    else if (message.type === 'failed') {
      ended.reject(new CommandError(classOfFailure[message.code] ?? 'failed', message.message))
    }
  }

  function post(message: object) {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }

  function end() {
    stopWatch()
    socket.close(1000)
  }
}

/**
 * Calls `onSilence` if nothing arrives although the connection reads. Time in which the output takes nothing does not
 * count. A process that was stopped, or blocked by its output, counts one check at most before it reads again.
 * @returns a function that ends the watch
 */
function watchServer(socket: WebSocket, onSilence: () => void): () => void {
  let silenceMs = 0
  const received = () => {
    silenceMs = 0
  }
  socket.on('ping', received)
  socket.on('message', received)
  const timer = setInterval(() => {
    if (socket.isPaused || socket.readyState !== socket.OPEN) return
    silenceMs += silenceCheckMs
    if (silenceMs >= maxSilenceMs) onSilence()
  }, silenceCheckMs)
  return () => clearInterval(timer)
}

const classOfFailure: Readonly<Record<string, ExitClass>> = {
  AccessEnded: 'denied',
  AccessUnknown: 'unavailable',
  EngineFailed: 'unavailable',
  Stopping: 'unavailable',
}
