/** Reads the bytes or the lines of a streamed answer. */
import type { Answer, Lost } from './request.ts'

/** Berth sends something at least every 30 seconds. After this time without a byte the connection is lost. */
const maxSilenceMs = 65_000

/**
 * Gives the bytes in pieces.
 * @param lost is called if the connection breaks, or if nothing arrives for `silenceMs`
 */
export async function* piecesOf(
  response: Pick<Answer, 'body'>,
  lost: Lost,
  signal?: AbortSignal,
  silenceMs = maxSilenceMs,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body!.getReader()
  const cancel = () => reader.cancel().catch(() => undefined)
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
      if (done) return
      signal?.throwIfAborted()
      yield value
    }
  } finally {
    await cancel()
  }
}

/**
 * Gives each line without its end.
 * @param lost is called like that of `piecesOf`, and if the connection ends in the middle of a line
 */
export async function* linesOf(
  response: Pick<Answer, 'body'>,
  lost: Lost,
  signal?: AbortSignal,
  silenceMs = maxSilenceMs,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of piecesOf(response, lost, signal, silenceMs)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      signal?.throwIfAborted()
      yield line
    }
  }
  if (rest + decoder.decode() !== '') lost(incomplete())
}

export const incomplete = () => new Error('the answer is incomplete')
