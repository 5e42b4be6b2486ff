/** stand-in */
import { parseEnv } from 'node:util'
export function parseEnvFile(text: string): { values: Record<string, string>; faults: { line: number; message: string }[] } {
  return { values: parseEnv(text) as Record<string, string>, faults: [] }
}
