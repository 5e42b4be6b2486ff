/** Reads the lines of a streamed answer. */
import { connectionLost } from './request.ts'

/**
 * Gives each line without its end.
 * @throws BerthError with the code CONNECTION_LOST if the connection breaks
 */
export async function* linesOf(response: Response, signal?: AbortSignal): AsyncGenerator<string, void, undefined> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: Error) => {
        throw signal?.aborted ? signal.reason : connectionLost(response.url, error)
      })
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop()!
      yield* lines
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
