/** Waits until a started Berth is ready. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { getText } from '../../lib/net/get-text.ts'
import { localUrl } from '../../lib/net/local-url.ts'

const pollMs = 250
const answerTimeoutMs = 10_000

type Address = Pick<Config, 'host' | 'port' | 'egress'>

/**
 * Returns null if Berth answers and its store works; otherwise the reason. Whether the engine answers and whether changes
 * are held back does not count: neither depends on the version of Berth.
 */
export async function storeFault(address: Address): Promise<string | null> {
  return ask(
    address,
    '/readyz',
    ({ status, text }) => status === 200 || (status === 503 && !pathsIn(text).includes('store')),
  )
}

/** Returns null if Berth is ready and accepts changes; otherwise the reason. */
export async function notReadyReason(address: Address): Promise<string | null> {
  return ask(address, '/readyz', ({ status }) => status === 200)
}

/** What does not work, from the answer of a Berth that is not ready. An answer in another format counts as the store. */
function pathsIn(text: string): string[] {
  try {
    return (JSON.parse(text) as { issues: { path: string }[] }).issues.map(({ path }) => path)
  } catch {
    return ['store']
  }
}

/**
 * Waits until a version of Berth answers and its store works, at most for a time.
 * @returns null if it is; otherwise the reason of the last attempt
 */
export async function waitUntilReady(address: Address, version: string, timeoutMs: number): Promise<string | null> {
  const end = performance.now() + timeoutMs
  // Another Berth could answer at this address.
  const isVersion = ({ status, text }: Reply) =>
    status === 200 && (JSON.parse(text) as { info: { version: string } }).info.version === version
  for (;;) {
    const reason = (await storeFault(address)) ?? (await ask(address, '/openapi.json', isVersion))
    if (reason === null || performance.now() > end) return reason
    await pause(pollMs)
  }
}

interface Reply {
  status: number
  text: string
}

async function ask(address: Address, path: string, isExpected: (reply: Reply) => boolean): Promise<string | null> {
  const url = `${localUrl(address)}${path}`
  try {
    const reply = await getText(url, address.egress, answerTimeoutMs)
    if (isExpected(reply)) return null
    const { status, text } = reply
    return status === 200 ? `${url} is answered by another Berth` : `${url} answers ${status}: ${text.slice(0, 500)}`
  } catch (error) {
    return `${url} does not answer (${(error as Error).message})`
  }
}
