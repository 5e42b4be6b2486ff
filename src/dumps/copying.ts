/** Passes a stream on while a copy of it is read. */
import type { Bytes } from './streams.ts'

/**
 * @param read reads the copy, at the pace of the slower of the two
 * @returns `through`, which passes the pieces of a stream on and may be called once, and `result`, the result of `read`
 */
export function copying<T>(read: (copy: Bytes) => Promise<T>) {
  const copy = new TransformStream<Buffer, Buffer>()
  const writer = copy.writable.getWriter()
  const result = read(copy.readable as unknown as Bytes)
  result.catch((error: unknown) => writer.abort(error).catch(() => undefined))
  return { result, through }

  async function* through(source: Bytes): Bytes {
    try {
      for await (const piece of source) {
        // If the reading fails, `result` rejects with the cause.
        await Promise.race([writer.write(piece), result])
        yield piece
      }
      await writer.close()
    } catch (error) {
      await writer.abort(error)
      throw error
    }
  }
}
