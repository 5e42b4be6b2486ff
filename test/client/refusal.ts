/** The error of a call that is expected to fail, and a server that is not Berth. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { BerthError } from '../../client/client.ts'

/** @throws if the call succeeds, or fails with an error of another class */
export const refusal = (call: Promise<unknown>): Promise<BerthError> =>
  call.then(
    () => assert.fail('the call was not refused'),
    (error: unknown) => (error instanceof BerthError ? error : Promise.reject(error)),
  )

/** Starts another web server. Returns its URL. */
export async function webServer(t: Pick<TestContext, 'after'>, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
