/** Servers of the in-memory engine that answer the questions of samples. */
import type { Exec } from '../../src/engine/exec.ts'
import { answerEnd } from '../../src/kinds/sampler.ts'
import type { TestBerth } from '../fixtures/test-berth.ts'

export const succeeded = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' })

/** Lets the servers answer questions, and have files of this many KiB. Returns the programs that asked. */
export function answerQuestions({ engine }: TestBerth, row: () => string, kibibytes = () => 2048): Exec[] {
  const asked: Exec[] = []
  const { answer } = engine
  engine.answer = (task, program) => {
    if (program.argv[0] === 'du') return succeeded(`${kibibytes()}\t/data\n`)
    if (program.stdin?.includes('pg_stat_database')) {
      asked.push(program)
      return succeeded(`${row()}\n`)
    }
    return program.stdin?.includes(answerEnd) ? succeeded(`${answerEnd}\n`) : answer(task, program)
  }
  return asked
}
