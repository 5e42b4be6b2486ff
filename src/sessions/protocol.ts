/**
 * The messages of a session. A binary frame has bytes of the program's input or output. A text frame has one of these
 * messages as JSON.
 */
import { z } from 'zod'

/** The subprotocol that both sides name in the handshake. A change of the messages needs another name. */
export const subprotocol = 'berth.session.v1'

/**
 * `client`: the client of the product, logged in. `tunnel`: a TCP connection with the port of the server. `dump`: a dump
 * of a database on standard output.
 */
export const modes = ['client', 'tunnel', 'dump'] as const
export type Mode = (typeof modes)[number]

const maxSize = 4096
const Size = z.number().int().min(1).max(maxSize)

/** The size of a terminal in a query. */
export const SizeParameter = z.coerce
  .number(`must be a whole number from 1 to ${maxSize}`)
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(maxSize, `must be at most ${maxSize}`)
  .optional()

/** A message of the client. */
export const ClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resize'), columns: Size, rows: Size }),
  z.object({ type: z.literal('endInput') }),
])
export type ClientMessage = z.output<typeof ClientMessage>

/** Why a session ended without the exit code of its program. */
export const failureCodes = [
  'ClientGone',
  'Idle',
  'Stopping',
  'AccessEnded',
  'AccessUnknown',
  'MessageInvalid',
  'EngineFailed',
  'OutOfMemory',
  'DatabaseChanged',
  'DumpBroken',
  'DumpEmpty',
] as const
export type FailureCode = (typeof failureCodes)[number]

/** A message of Berth. `ended` and `failed` are the last messages of a session. */
export const ServerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started').describe('The program runs') }),
  z.object({
    type: z.literal('stderr').describe('The program wrote to standard error'),
    text: z.string().describe('What it wrote. In a terminal, standard error is part of the output'),
  }),
  z.object({
    type: z.literal('ended').describe('The program has ended by itself'),
    exitCode: z.number().describe('Exit code of the program'),
  }),
  z.object({
    type: z.literal('failed').describe('The session has ended without a valid result'),
    code: z.enum(failureCodes).describe('Why it ended, for programs'),
    message: z.string().describe('Why it ended, for people'),
  }),
])
export type ServerMessage = z.output<typeof ServerMessage>
