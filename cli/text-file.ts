/** Reads files that options name. */
import { readFileSync } from 'node:fs'
import { CommandError } from './exit.ts'

/**
 * The text of a file; `-` stands for standard input.
 * @throws CommandError if the file cannot be read
 */
export function textFile(option: string, path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (error) {
    throw new CommandError('usage', `${option}: ${path} cannot be read: ${(error as Error).message}`)
  }
}
