/** What the audit log records of a session besides its caller and its database. It never has what a person types. */
import { z } from 'zod'

const shared = {
  sessionId: z.string().describe('The same in both entries of a session'),
  mode: z.string().describe('The mode of the session: client, tunnel or dump'),
}

export const AuditDetails = z.discriminatedUnion('event', [
  z.object({ event: z.literal('begin').describe('The session has begun'), ...shared }),
  z.object({
    event: z.literal('end').describe('The session has ended'),
    ...shared,
    reason: z
      .string()
      .nullable()
      .describe(
        'Why the session ended, as code; null if the program ended by itself. BerthStopped: Berth was killed, or could not ' +
          'record the end, and has recorded it at the next start',
      ),
    exitCode: z.number().nullable().describe('Exit code of the program; null if the session ended earlier'),
    seconds: z.number().nullable().describe('Duration of the session; null with BerthStopped'),
    receivedBytes: z.number().nullable().describe('Bytes that the client sent; null with BerthStopped'),
    sentBytes: z.number().nullable().describe('Bytes that the client got; null with BerthStopped'),
  }),
])
export type AuditDetails = z.output<typeof AuditDetails>
