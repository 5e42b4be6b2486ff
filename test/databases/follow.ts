/** A client of an NDJSON stream on a real connection. Records the received lines and how the stream ended. */
import { until } from '../engine/until.ts'
import type { Input } from '../fixtures/test-berth.ts'

export interface Line {
  at: string
  stream: string
  line: string
}

/**
 * Opens the stream of an operation. Resolves when the response headers have arrived.
 * @param url the base URL of Berth
 * @param token the token of the caller
 * @returns `body` is the parsed response if the response is not a stream, otherwise null
 */
export async function followOn(url: string, token: string, name: string, input: Input) {
  const abort = new AbortController()
  const query = new URLSearchParams(
    Object.entries({ follow: true, ...input }).map(([key, value]) => [key, String(value)]),
  )
  const response = await fetch(`${url}/api/${name}?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  })
  const isStream = response.headers.get('content-type') === 'application/x-ndjson; charset=utf-8'
  const texts: string[] = []
  const body = isStream ? null : ((await response.json()) as { message: string; code: string })
  const ended =
    body === null
      ? collect(response.body!, texts).then(
          () => 'complete',
          () => 'broken',
        )
      : 'complete'
  const lines = () => texts.filter((text) => text !== '').map((text) => JSON.parse(text) as Line)
  return {
    status: response.status,
    headers: response.headers,
    body,
    texts,
    lines,
    ended,
    /** Returns the texts of the lines when at least `count` lines have arrived. */
    waitForLines: async (count: number) => {
      await until(`${count} lines`, async () => lines().length >= count)
      return lines().map(({ line }) => line)
    },
    disconnect: () => abort.abort(),
  }
}

async function collect(body: ReadableStream<Uint8Array>, texts: string[]) {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = pieces.pop()!
    texts.push(...pieces)
  }
}
