/** The end of a file that somebody else writes to, a log say, of which only so much is kept in memory. */
import { open } from 'node:fs/promises'

/** The whole lines within the last `maxBytes`; '' where there is no such file. */
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
    // The first line is cut where the file has more before it.
    return text.subarray(from === 0 ? 0 : text.indexOf('\n') + 1).toString()
  } finally {
    await file.close()
  }
}
