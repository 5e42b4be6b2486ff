/** Runs a program of a server's image and reads its outcome. */
import { EngineFailure, type FoundTask, type Outcome } from '../../engine/engine.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Runtime } from '../../runtime.ts'

/** The exit code for a program that could not be run. */
export const notRunExitCode = 125
/** The exit code for a program that did not end in time. */
const lateExitCode = 124

/** Maps an engine failure, such as a missing container, to `notRunExitCode`. */
export async function runProgram(
  { engine }: Pick<Runtime, 'engine'>,
  task: FoundTask,
  program: Exec,
  timeoutMs: number,
): Promise<Outcome> {
  try {
    return await engine.run(task, program, timeoutMs)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    return { exitCode: notRunExitCode, stdout: '', stderr: error.message }
  }
}

/** Whether the program ran to its end. Only then the server has accepted or refused it. */
export const hasRun = ({ exitCode }: Outcome) => exitCode !== notRunExitCode && exitCode !== lateExitCode

export const errorText = ({ stderr, stdout, exitCode }: Outcome) =>
  (stderr.trim() || stdout.trim() || `exit code ${exitCode}`).slice(-500)
