/** The failures that end a session, as data. */
import type { FailureCode } from './protocol.ts'
import { failureMessage } from './failure-message.ts'

export type Failure =
  | { code: Exclude<FailureCode, 'Idle' | 'EngineFailed' | 'DumpBroken'> }
  | { code: 'Idle'; seconds: number }
  | { code: 'EngineFailed' | 'DumpBroken'; detail: string }

/** Ends a session. Also the reason of the signals that end one. */
export class SessionFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failureMessage(failure), options)
    this.name = 'SessionFailure'
    this.failure = failure
  }
}
