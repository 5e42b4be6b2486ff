/**
 * The process of the load generator. It runs each received `Load` and sends the measurements back. autocannon counts only
 * whole milliseconds, so this file records the latencies.
 */
import autocannon, { type Request } from 'autocannon'

export interface Load {
  url: string
  method: 'GET' | 'POST'
  path: string
  token: string
  /** '' sends no body. Each `#` in the body is replaced by a number that is used only once. */
  body: string
  connections: number
  seconds: number
}

export interface Measured {
  perSecond: number
  p50Ms: number
  p99Ms: number
  failures: number
}

let lastNumber = 0

async function run({ url, connections, seconds, ...load }: Load): Promise<Measured> {
  const times: number[] = []
  const start = performance.now()
  let end = start
  const running = autocannon({ url, connections, duration: seconds, sampleInt: 100, requests: [requestOf(load)] })
  running.on('response', (_client, _status, _bytes, milliseconds) => {
    times.push(milliseconds)
    end = performance.now()
  })
  const { errors, timeouts, non2xx } = await running
  const sorted = Float64Array.from(times).sort()
  const quantile = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return {
    perSecond: sorted.length / ((end - start) / 1000),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    failures: errors + timeouts + non2xx,
  }
}

function requestOf({ method, path, token, body }: Pick<Load, 'method' | 'path' | 'token' | 'body'>): Request {
  const authorization = `Bearer ${token}`
  if (body === '') return { method, path, headers: { authorization } }
  const request = { method, path, headers: { authorization, 'content-type': 'application/json' }, body }
  if (!body.includes('#')) return request
  return { ...request, setupRequest: (it) => ({ ...it, body: body.replace('#', String(++lastNumber)) }) }
}

process.on('message', async (load: Load) => process.send!(await run(load)))
