/** Logins to the server of a database with given credentials, and what they prove. */
import { isDeepStrictEqual } from 'node:util'
import type { FoundTask, Outcome } from '../../engine/engine.ts'
import type { Address, Kind, OwnAccount } from '../../kinds/kind.ts'
import { loginOutput } from '../../kinds/login-output.ts'
import type { Runtime } from '../../runtime.ts'
import type { Settings, Target } from '../targets.ts'
import { runProgram } from './run-program.ts'

/** The server, and the credentials that it should accept. */
export interface LoginSubject {
  kind: Kind
  task: FoundTask
  target: Target
}

const loginTimeoutMs = 10_000
export const rotationTimeoutMs = 30_000

export function login(
  { engine }: Runtime,
  { kind, task }: LoginSubject,
  settings: Settings,
  address: Address,
): Promise<Outcome> {
  return runProgram({ engine }, task, kind.ready(settings, address), loginTimeoutMs)
}

/** Whether the server accepts the user and, if the settings have its password, the administrator. */
export const isComplete = (outcome: Outcome) => outcome.exitCode === 0 && !loginOutput(outcome.stdout).isRootRefused

/**
 * Whether the server still accepts older credentials after one more rotation. A crash during the previous rotation can
 * have left both credentials valid.
 */
export async function areAcceptedAfterRotation(
  runtime: Runtime,
  subject: LoginSubject,
  before: Settings,
  address: Address,
  own: OwnAccount | null,
): Promise<boolean> {
  if (!(await areAccepted(runtime, subject, before, address))) return false
  const rotation = subject.kind.rotate(before, subject.target.settings, address, own)
  await runProgram(runtime, subject.task, rotation, rotationTimeoutMs)
  return areAccepted(runtime, subject, before, address)
}

async function areAccepted(
  runtime: Runtime,
  subject: LoginSubject,
  before: Settings,
  address: Address,
): Promise<boolean> {
  const old: Settings = { ...before }
  if (subject.target.settings.databaseName !== undefined) old.databaseName = subject.target.settings.databaseName
  if (isDeepStrictEqual(old, subject.target.settings)) return false
  const outcome = await login(runtime, subject, old, address)
  return hasOtherUser(subject, old) ? outcome.exitCode === 0 : isComplete(outcome)
}

/** Whether the settings differ from the target's in more than the password of the administrator. */
function hasOtherUser({ kind: { rootPassword }, target }: LoginSubject, settings: Settings): boolean {
  if (rootPassword === undefined) return true
  return !isDeepStrictEqual({ ...settings, [rootPassword]: '' }, { ...target.settings, [rootPassword]: '' })
}
