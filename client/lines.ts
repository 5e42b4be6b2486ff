/** Reads the lines of a streamed answer. */
import type { Answer, Lost } from './request.ts'

/** Berth sends something at least every 30 seconds. After this time without a byte the connection is lost. */
const maxSilenceMs = 65_000

/**
 * Gives each line without its end.
 * @param lost is called if the connection breaks, if it ends in the middle of a line, or if nothing arrives for `silenceMs`
 */
export async function* linesOf(
  response: Pick<Answer, 'body'>,
  lost: Lost,
  signal?: AbortSignal,
  silenceMs = maxSilenceMs,
): AsyncGenerator<string, void, undefined> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const cancel = () => reader.cancel().catch(() => undefined)
  let rest = ''
  let isSilent = false
  try {
    for (;;) {
      const timer = setTimeout(() => {
        isSilent = true
        void cancel()
      }, silenceMs)
      const { done, value } = await reader
        .read()
        .catch(lost)
        .finally(() => clearTimeout(timer))
      if (isSilent) lost(new Error(`nothing has arrived for ${silenceMs / 1000} s`))
      if (done) return rest === '' ? undefined : lost(new Error('the answer is incomplete'))
      const lines = (rest + value).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        signal?.throwIfAborted()
        yield line
      }
    }
  } finally {
    await cancel()
  }
}
