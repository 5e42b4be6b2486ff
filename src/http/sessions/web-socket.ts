/** The channel of a session over a WebSocket, with backpressure in both directions. */
import type { RawData, WebSocket } from 'ws'
import { ClientMessage, type ServerMessage } from '../../sessions/protocol.ts'
import type { Channel, Receiver } from '../../sessions/channel.ts'
import { type Failure, SessionFailure } from '../../sessions/failure.ts'
import { watchClient, type WatchLimits } from './client-watch.ts'

/** How long the client has for the last messages and for its part of the closing handshake, in milliseconds. */
const closeMs = 5000
/** While fewer bytes of output wait for the client, the program goes on. More would only use memory. */
const maxWaitingBytes = 1024 * 1024
/** Maximum number of bytes of input that wait until the program has started. */
const maxEarlyBytes = 256 * 1024
/** Source: RFC 6455 section 7.4.1. */
const closeCodes = { normal: 1000, failed: 1011 }

export interface WebSocketChannel extends Channel {
  /** Ends the connection after everything was sent. */
  close(): void
}

interface Frame {
  data: Buffer
  isBinary: boolean
}

/** @param socket null: the client disconnected during the handshake */
export function channelOn(socket: WebSocket | null, limits: WatchLimits): WebSocketChannel {
  if (socket === null) return closedChannel()
  const end = new AbortController()
  const fail = (failure: Failure) => end.abort(new SessionFailure(failure))
  const watch = watchClient(socket, limits)
  const input = inputOn(socket, () => fail({ code: 'MessageInvalid' }))
  let closeCode = closeCodes.normal
  socket.on('close', () => fail({ code: 'ClientGone' }))
  socket.on('error', () => fail({ code: 'MessageInvalid' }))
  socket.on('message', (data: RawData, isBinary: boolean) => {
    watch.received()
    input.take({ data: data as Buffer, isBinary })
  })
  return { ended: end.signal, receive: input.receive, post, send, close }

  function post(message: ServerMessage): Promise<void> {
    if (message.type === 'failed') closeCode = closeCodes.failed
    return write(JSON.stringify(message))
  }

  function send(bytes: Buffer): Promise<void> {
    const written = write(bytes)
    // If the connection breaks later, `ended` tells it.
    written.catch(() => undefined)
    const hasRoom = socket!.readyState === socket!.OPEN && socket!.bufferedAmount < maxWaitingBytes
    return hasRoom ? Promise.resolve() : written
  }

  function write(data: Buffer | string): Promise<void> {
    const written = watch.sent(data.length)
    return new Promise((resolve, reject) => {
      socket!.send(data, { binary: typeof data !== 'string' }, (error) => {
        if (error) return reject(new SessionFailure({ code: 'ClientGone' }, { cause: error }))
        written()
        resolve()
      })
    })
  }

  function close() {
    watch.stop()
    // A paused socket would not read the answer of the client.
    socket!.resume()
    socket!.close(closeCode)
    setTimeout(() => socket!.terminate(), closeMs).unref()
  }
}

function closedChannel(): WebSocketChannel {
  const gone = new SessionFailure({ code: 'ClientGone' })
  const reject = () => Promise.reject(gone)
  const nothing = () => undefined
  return { ended: AbortSignal.abort(gone), receive: nothing, post: reject, send: reject, close: nothing }
}

/**
 * Passes frames to the receiver. While the receiver takes bytes, the socket is paused. Frames that arrive before there is
 * a receiver are kept.
 * @param onInvalid called for a message that is not part of the protocol
 */
function inputOn(socket: WebSocket, onInvalid: () => void) {
  const early: Frame[] = []
  let earlyBytes = 0
  let receiver: Receiver | null = null
  return {
    take(frame: Frame) {
      if (receiver !== null) return pass(receiver, frame)
      early.push(frame)
      earlyBytes += frame.data.length
      if (earlyBytes > maxEarlyBytes) socket.pause()
    },
    receive(to: Receiver) {
      receiver = to
      socket.resume()
      for (const frame of early.splice(0)) pass(to, frame)
    },
  }

  function pass(to: Receiver, { data, isBinary }: Frame) {
    if (isBinary) {
      socket.pause()
      void to.bytes(data).finally(() => socket.resume())
      return
    }
    const message = messageIn(data)
    if (message === null) onInvalid()
    else to.message(message)
  }
}

function messageIn(data: Buffer): ClientMessage | null {
  try {
    return ClientMessage.safeParse(JSON.parse(data.toString())).data ?? null
  } catch {
    return null
  }
}
