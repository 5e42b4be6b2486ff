/**
 * Ends the connection of a client that has vanished. A client that has much to read may be slow, or may wait as a pager
 * does, and cannot answer a ping before it has read what was sent earlier. Such a client has more time.
 */
import type { WebSocket } from 'ws'

/** A client with at most so many unread bytes has to answer. At 1.1 KiB/s it has read them within two pings. */
const maxPromptBytes = 64 * 1024
/** So many turns in a row without a sign of life end the connection: a ping has two periods to be answered. */
const maxSilentTurns = 3

export interface WatchLimits {
  /** How often a ping is sent, in milliseconds. */
  pingMs?: number
  /** How long a client with more unread bytes may give no sign of life, in milliseconds. */
  stalledMs: number
}

export interface ClientWatch {
  /** Call this for each frame of the client. */
  received(): void
  /** Call this for each frame to the client. @returns a function to call when the operating system has taken the frame */
  sent(bytes: number): () => void
  stop(): void
}

/**
 * Signs of life are a frame of the client, an answer to a ping, and that a full connection takes output again. Time is
 * counted in turns of the timer: Berth may have been suspended, or too busy to read.
 */
export function watchClient(socket: WebSocket, { pingMs = 30_000, stalledMs }: WatchLimits): ClientWatch {
  const maxStalledTurns = Math.max(maxSilentTurns, Math.ceil(stalledMs / pingMs))
  let turns = 0
  let silentTurns = 0
  let sentBytes = 0
  /** The bytes that were sent before the last ping that the client has answered. */
  let readBytes = 0
  const received = () => {
    silentTurns = 0
  }
  const timer = setInterval(turn, pingMs)
  socket.on('pong', (data) => {
    received()
    const bytes = Number(data.toString())
    if (bytes > readBytes && bytes <= sentBytes) readBytes = bytes
  })
  socket.once('close', () => clearInterval(timer))
  return { received, sent, stop: () => clearInterval(timer) }

  function turn() {
    turns++
    // While the socket is paused, Berth does not read the answers.
    silentTurns = socket.isPaused ? 0 : silentTurns + 1
    const hasMuchToRead = sentBytes - readBytes > maxPromptBytes
    if (silentTurns >= (hasMuchToRead ? maxStalledTurns : maxSilentTurns)) return socket.terminate()
    socket.ping(String(sentBytes))
  }

  function sent(bytes: number) {
    sentBytes += bytes
    const sentAt = turns
    return () => {
      // The frame had to wait: the buffer of the operating system was full, and the client has taken bytes of it.
      if (turns !== sentAt) received()
    }
  }
}
