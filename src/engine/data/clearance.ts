/**
 * The clearance of a server is a short text in a file among its data. It says that Berth has checked where a server with
 * this specification keeps its data. The health check of a server succeeds only with its clearance, and until then the
 * swarm does not give the server's address to clients. This module has the programs inside the container, and the
 * parsers of their output. Pure.
 */
import { textFile } from '../../lib/text-file.ts'
import { EngineFailure } from '../failures.ts'
import { markArgv, markFile, parseMark } from './data-mark.ts'
import type { FoundTask, Outcome } from '../engine.ts'

/** The methods for servers that wait for their clearance. */
export interface ClearanceEngine {
  /**
   * Waits for at most `maxSeconds` until the server of a starting task answers and waits for its clearance. Returns for
   * how many seconds it has answered; null if it does not yet, or if its health check needs no clearance. Throws
   * EngineFailure if the container cannot be read.
   */
  awaitAnswer(task: FoundTask, maxSeconds: number): Promise<number | null>
  /**
   * Does what `dataMark` does, and then writes the clearance of a server that waits for it. Makes the folder if it is
   * missing. Throws EngineFailure if one of the files cannot be written.
   */
  clear(task: FoundTask, folder: string, fresh: string | null): Promise<string | null>
}

/** The file in the memory of a container that says that its server answers and waits for its clearance. */
export const answeringFile = '/dev/shm/.berth-answering'
/** The file name of the clearance. It has no leading dot: `rm -rf *` in the folder has to remove it with the data. */
const clearanceFile = 'berth-clearance'

/**
 * The argv of a health check (kinds/health.ts) that succeeds only with this clearance in the folder.
 * @param clearance hexadecimal digits
 */
export const clearedHealth = (health: readonly string[], folder: string, clearance: string): string[] => [
  ...health,
  'berth',
  `${folder}/${clearanceFile}`,
  clearance,
]

const awaiting = textFile('engine/data/await-answer.sh', { answeringFile })
const clearing = textFile('engine/data/clear.sh', { answeringFile, clearanceFile })

export const awaitAnswerArgv = (maxSeconds: number): string[] => ['sh', '-c', awaiting, 'berth', String(maxSeconds)]

/** The argv that marks the data as `markArgv` does, and then clears the server. */
export function clearArgv(folder: string, newMark: string | null): string[] {
  const [shell, option, marking, ...rest] = markArgv(folder, newMark)
  return [shell!, option!, `mkdir -p "$1" || exit 1\n${marking}\n${clearing}`, ...rest]
}

/** @throws EngineFailure `failed` if the program failed or its output is incomplete */
export function parseAnswer(outcome: Outcome): number | null {
  const match = /^(?:not|for (\d+))\n$/.exec(outcome.stdout)
  if (outcome.exitCode !== 0 || match === null) throw failure('Cannot find out whether the server answers', outcome)
  return match[1] === undefined ? null : Number(match[1])
}

/**
 * Returns the mark that was printed before the server was cleared; null if the data has none.
 * @throws EngineFailure `failed` if the mark or the clearance was not written
 */
export function parseCleared(outcome: Outcome): string | null {
  const end = 'cleared\n'
  if (outcome.exitCode === 0 && outcome.stdout.endsWith(end))
    return parseMark({ ...outcome, stdout: outcome.stdout.slice(0, -end.length) })
  throw failure(`Cannot write the files ${markFile} and ${clearanceFile} in the data folder`, outcome)
}

function failure(text: string, { exitCode, stderr }: Outcome): EngineFailure {
  return new EngineFailure('failed', `${text}: ${stderr.trim() || `exit code ${exitCode}`}`)
}
