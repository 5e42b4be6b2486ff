/** A program that is repeated in its container until it succeeds. Pure. */
import type { Exec } from '../engine/exec.ts'
import { textFile } from '../lib/text-file.ts'

const repeat = textFile('databases/repeat.sh')

/**
 * Repeats a program until it succeeds, and begins no run after `seconds`. It then ends as the last run did, with the
 * errors of that run. The output of the program is lost. The image of the program needs a shell.
 */
export const repeated = ({ argv, ...program }: Exec, seconds: number): Exec => ({
  ...program,
  argv: ['sh', '-c', repeat, 'berth', String(seconds), ...argv],
})
