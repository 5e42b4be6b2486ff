/** The connection of a session with its client, as src/sessions needs it. src/http/sessions has it over a WebSocket. */
import type { ClientMessage, ServerMessage } from './protocol.ts'

export interface Receiver {
  /** Takes bytes of the input. The channel reads on when the promise resolves. */
  bytes(bytes: Buffer): Promise<void>
  message(message: ClientMessage): void
}

export interface Channel {
  /** Sends bytes of the output. Resolves when the connection can take more; rejects if it has ended. */
  send(bytes: Buffer): Promise<void>
  /** Sends a message. Resolves when everything before it and the message itself were handed to the connection. */
  post(message: ServerMessage): Promise<void>
  /** Passes all input to the receiver from now on. What arrived earlier comes first. */
  receive(receiver: Receiver): void
  /** Aborts with a SessionFailure when the connection has ended, or when the client broke the protocol. */
  readonly ended: AbortSignal
}
