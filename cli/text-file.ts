/** Reads text files that options name, in the encodings that editors and shells write. */
import { readFileSync } from 'node:fs'
import { CommandError } from './exit.ts'

/**
 * The text of a file; `-` stands for standard input.
 *
 * @param option the option or argument that named the file, for messages
 * @throws CommandError if the file cannot be read or is not text
 */
export function textFile(option: string, path: string): string {
  return decoded(option, path, bytesOf(option, path))
}

function bytesOf(option: string, path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path)
  } catch (error) {
    throw new CommandError('usage', `${option}: ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** Windows writes a byte order mark before UTF-8, and PowerShell writes UTF-16. The mark is not part of the text. */
function decoded(option: string, path: string, bytes: Buffer): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new CommandError('usage', `${option}: ${path} is not text in UTF-8 or UTF-16. Save it as UTF-8`)
  }
}
