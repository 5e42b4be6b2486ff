/** Renders the failures of sessions as sentences for people. No decision depends on the sentences. Pure. */
import type { Failure } from './failure.ts'

type Messages = { [Code in Failure['code']]: (failure: Extract<Failure, { code: Code }>) => string }

const messages: Messages = {
  ClientGone: () => 'The connection with the client has ended',
  Idle: ({ seconds }) =>
    `Nothing was sent in either direction for ${seconds} seconds. The setting BERTH_SESSION_IDLE_SECONDS changes this limit`,
  Stopping: () => 'Berth is stopping. Open the session again later',
  AccessEnded: () => 'The token has expired or was revoked, or its account may not open sessions any more',
  AccessUnknown: () =>
    'Berth could not check for a minute whether you may still have this session. Its log has the cause',
  MessageInvalid: () => 'The client sent a message that is not part of the protocol',
  EngineFailed: ({ detail }) => `The container of the session failed: ${detail}`,
  OutOfMemory: () => 'The program needed more memory than a session may use, and was ended',
  DatabaseChanged: () =>
    'The database was deployed, moved or restored during the dump, so that the dump is not of one state. Dump it again',
  DumpBroken: ({ detail }) => `The dump is not complete: ${detail}`,
  DumpEmpty: () => 'The dump is empty, because the database does not exist or is empty. Check the name of the database',
}

export const failureMessage = (failure: Failure): string => messages[failure.code](failure as never)
