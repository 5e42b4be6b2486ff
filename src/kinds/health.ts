/** The command of a health check, which the engine runs inside a container. */
import { textFile } from '../lib/text-file.ts'

/**
 * Returns the command of a health check.
 * @param answers shell text that defines `answers SECONDS`, which says whether the server answers in that time
 * @param maxSeconds how long the server may take, once it has answered for the first time
 */
export function healthCheck(answers: string, maxSeconds = 3): string[] {
  const ending = textFile('kinds/health.sh', { maxSeconds: String(maxSeconds) })
  const script = `${answers}\n${ending}`
  return ['sh', '-c', script]
}
