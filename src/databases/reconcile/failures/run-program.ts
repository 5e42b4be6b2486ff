/** Runs a program of the server's image in the container of the server. */
import { EngineFailure, type FoundTask, type Outcome } from '../../../engine/engine.ts'
import type { Exec } from '../../../engine/exec.ts'
import type { Runtime } from '../../../runtime.ts'

/** The exit code for a program that could not be run. */
export const notRunExitCode = 125

/** `unreachable`: the node could not be reached, or the connection to it broke, so the program may have run. */
export type Attempt = Outcome & { unreachable?: EngineFailure }

/** Maps an engine failure, such as a missing container, to `notRunExitCode`. */
export async function run(
  { engine }: Runtime,
  { task }: { task: FoundTask },
  program: Exec,
  timeoutMs: number,
): Promise<Attempt> {
  try {
    return await engine.run(task, program, timeoutMs)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    const notRun = { exitCode: notRunExitCode, stdout: '', stderr: error.message }
    return error.reason === 'nodeUnreachable' ? { ...notRun, unreachable: error } : notRun
  }
}

/**
 * Returns the outcome of a program that changes the server, or whose failed login proves something. A later step has to
 * repeat such a program if it may have run.
 *
 * @throws EngineFailure `nodeUnreachable`
 */
export function reached({ unreachable, ...outcome }: Attempt): Outcome {
  if (unreachable !== undefined) throw unreachable
  return outcome
}
