/** The exit statuses of the command line, and the errors that lead to them. */
import { getSystemErrorMessage } from 'node:util'
import type { BerthError } from '../client/client.ts'

/** Documented in docs/commands.md. A status never changes its meaning. */
export const statuses = {
  /** The command was understood, and Berth refused it or its work failed. */
  failed: 1,
  /** The arguments are wrong. */
  usage: 2,
  /** There is no such record. */
  notFound: 3,
  /** Not signed in, or not allowed. */
  denied: 4,
  /** Berth cannot be reached or is not ready. */
  unavailable: 5,
  /** The work was not finished within --wait. The work goes on. */
  pending: 6,
  /** `berth apply --plan --exit-code` has found something to do. */
  changes: 7,
  interrupted: 130,
} as const
export type ExitClass = keyof typeof statuses

/** A message for the person at the terminal, and the status that the program ends with. */
export class CommandError extends Error {
  readonly exitClass: ExitClass
  /** What the person can do; printed on a line of its own. */
  readonly hint: string | null

  constructor(exitClass: ExitClass, message: string, hint: string | null = null) {
    super(message)
    this.exitClass = exitClass
    this.hint = hint
  }
}

/** Ends the command line with the exit status of a program that it ran, such as psql. The program has said why. */
export class ProgramExit extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The program ended with exit status ${status}`)
    this.status = status
  }
}

const classOfCode: Partial<Record<BerthError['code'], ExitClass>> = {
  NOT_FOUND: 'notFound',
  UNAUTHORIZED: 'denied',
  FORBIDDEN: 'denied',
  CONNECTION_LOST: 'unavailable',
  SERVICE_UNAVAILABLE: 'unavailable',
  GATEWAY_TIMEOUT: 'unavailable',
  NOT_BERTH: 'unavailable',
  BAD_REQUEST: 'usage',
}

export const exitClassOf = ({ code }: BerthError): ExitClass => classOfCode[code] ?? 'failed'

/** What the system says about an error, such as `no space left on device`. */
export const systemErrorText = ({ errno, message }: NodeJS.ErrnoException): string =>
  errno === undefined ? message : getSystemErrorMessage(errno)
