/** Waits until a started Berth is ready. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { getText } from '../../lib/net/get-text.ts'
import { localUrl } from '../../lib/net/local-url.ts'

const pollMs = 250
const answerTimeoutMs = 10_000

type Address = Pick<Config, 'host' | 'port' | 'egress'>

/** Returns null if Berth answers and is ready; otherwise the reason. */
export async function notReadyReason(address: Address): Promise<string | null> {
  return ask(address, '/readyz', () => true)
}

/**
 * Waits until a version of Berth is ready, at most for a time.
 * @returns null if it is; otherwise the reason of the last attempt
 */
export async function waitUntilReady(address: Address, version: string, timeoutMs: number): Promise<string | null> {
  const end = performance.now() + timeoutMs
  // Another Berth could answer at this address.
  const isVersion = (text: string) => (JSON.parse(text) as { info: { version: string } }).info.version === version
  for (;;) {
    const reason = (await notReadyReason(address)) ?? (await ask(address, '/openapi.json', isVersion))
    if (reason === null || performance.now() > end) return reason
    await pause(pollMs)
  }
}

async function ask(address: Address, path: string, isExpected: (text: string) => boolean): Promise<string | null> {
  const url = `${localUrl(address)}${path}`
  try {
    const { status, text } = await getText(url, address.egress, answerTimeoutMs)
    if (status !== 200 && !isOnlyPublicUrl(status, text)) return `${url} answers ${status}: ${text.slice(0, 500)}`
    return status !== 200 || isExpected(text) ? null : `${url} is answered by another Berth`
  } catch (error) {
    return `${url} does not answer (${(error as Error).message})`
  }
}

/**
 * Whether Berth works, and only its public URL is not served. An upgrade neither causes nor repairs this: the proxy keeps
 * running meanwhile, and a certificate may take minutes.
 */
function isOnlyPublicUrl(status: number, text: string): boolean {
  if (status !== 503) return false
  const { issues } = JSON.parse(text) as { issues: { path: string }[] }
  return issues.length > 0 && issues.every(({ path }) => path === 'publicUrl')
}
