/** Reads a text by a GET request. */
import http from 'node:http'
import { answerOf } from './answer-of.ts'
import type { Egress } from './egress.ts'
import { readWhole } from './read-whole.ts'

const maxBytes = 8 * 1024 ** 2

/** @throws if the server does not answer within the time, or with more than 8 MiB */
export async function getText(
  url: string,
  egress: Egress,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await answerOf(http.get(url, { agent: egress.httpAgent({}), signal }))
  const body = await readWhole(response, maxBytes, url)
  return { status: response.statusCode ?? 0, text: body.toString() }
}
