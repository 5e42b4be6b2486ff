/** Reads the end of a file that another process may be writing to, such as a log. */
import { open } from 'node:fs/promises'

/**
 * Returns the last complete lines, at most `maxBytes`, or '' if the file does not exist. A line whose beginning is not
 * among these bytes is left out.
 */
export async function readTail(path: string, maxBytes: number): Promise<string> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (file === null) return ''
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - maxBytes)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from })
    const text = buffer.subarray(0, bytesRead)
    // If the file has more than `maxBytes`, the first line that was read is probably incomplete.
    return text.subarray(from === 0 ? 0 : text.indexOf('\n') + 1).toString()
  } finally {
    await file.close()
  }
}
