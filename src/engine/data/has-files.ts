/** Whether a folder contains files: the program that looks for one, and the parser of its output. Pure. */
import type { Outcome } from '../engine.ts'
import { EngineFailure } from '../failures.ts'

/** Prints whether the folder `$0` has a file, at any depth. Prints nothing if a folder cannot be read. */
const findFile =
  'file=$(find "$0" -mindepth 1 ! -type d -print -quit) && if [ "$file" ]; then echo some; else echo none; fi'

/** The argv of the program. */
export const findFileArgv = (folder: string): string[] => ['sh', '-c', findFile, folder]

/** @throws EngineFailure `failed` if the folder could not be read */
export function parseHasFiles({ stdout, stderr }: Pick<Outcome, 'stdout' | 'stderr'>): boolean {
  if (stdout === 'none\n' || stdout === 'some\n') return stdout === 'some\n'
  throw new EngineFailure('failed', `The files of the volume cannot be listed: ${stderr.trim() || 'no output'}`)
}
