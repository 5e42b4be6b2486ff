/** A client of an NDJSON stream on a real connection. Records the received lines and how the stream ended. */
import { until } from '../engine/until.ts'
import type { Input } from '../fixtures/test-berth.ts'

export interface Line {
  at: string
  stream: string
  line: string
}

/** Resolves after the response headers. `url` is the base URL; a response that is no stream is read whole as `body`. */
export async function followOn(url: string, token: string, name: string, input: Input) {
  const leaving = new AbortController()
  const query = new URLSearchParams(Object.entries({ follow: true, ...input }).map(([key, it]) => [key, String(it)]))
  const response = await fetch(`${url}/api/${name}?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  })
  const isStream = response.headers.get('content-type') === 'application/x-ndjson; charset=utf-8'
  const texts: string[] = []
  const body = isStream ? null : ((await response.json()) as { message: string; code: string })
  const ended =
    body === null
      ? collect(response.body!, texts).then(
          () => 'whole',
          () => 'broken',
        )
      : 'whole'
  const lines = () => texts.filter((text) => text !== '').map((text) => JSON.parse(text) as Line)
  return {
    status: response.status,
    headers: response.headers,
    body,
    texts,
    lines,
    ended,
    /** The texts of the lines, once that many have arrived. */
    heard: async (count: number) => {
      await until(`${count} lines`, async () => lines().length >= count)
      return lines().map(({ line }) => line)
    },
    leave: () => leaving.abort(),
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
