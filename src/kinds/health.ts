/** The command of a health check, which the engine runs inside a container. */
import { answeringFile } from '../engine/data/clearance.ts'
import { textFile } from '../lib/text-file.ts'

/**
 * Returns the command of a health check.
 * @param answers shell text that defines the function `answers SECONDS`, which succeeds if the server answers within
 * SECONDS
 * @param maxSeconds the limit for each answer after the server's first answer, in seconds
 */
export function healthCheck(answers: string, maxSeconds = 3): string[] {
  const ending = textFile('kinds/health.sh', { maxSeconds: String(maxSeconds), answeringFile })
  const script = `${answers}\n${ending}`
  return ['sh', '-c', script]
}
