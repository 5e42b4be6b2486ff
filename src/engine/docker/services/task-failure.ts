/** Classifies Docker's error texts of tasks. Pure. */
import type { TaskFailure, TaskFailureReason } from '../../failures.ts'

/** Patterns of error texts. The first pattern that matches determines the reason. */
const patterns: [RegExp, TaskFailureReason][] = [
  [/no such image|manifest unknown|pull access denied/i, 'ImageMissing'],
  [/invalid reference/i, 'ImageInvalid'],
  [/unsupported platform/i, 'WrongArchitecture'],
  [/host-mode port already in use|address already in use|port is already allocated/i, 'PortTaken'],
  [/insufficient resources/i, 'InsufficientResources'],
  [/scheduling constraints/i, 'NodeUnavailable'],
  [/executable file not found|no such file or directory: unknown|permission denied: unknown/i, 'ProgramMissing'],
]

/**
 * Returns null if `detail` is empty.
 * @param detail the `Err` or `Message` of a task's status
 */
export function taskFailureOf(detail: string): TaskFailure | null {
  if (detail === '') return null
  const reason = patterns.find(([pattern]) => pattern.test(detail))?.[1] ?? 'Other'
  return { reason, detail }
}
