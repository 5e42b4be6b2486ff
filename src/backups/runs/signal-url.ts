/** Reports a good dump by a GET request to the signalUrl of its backup. A failed request does not affect the run. */
import { callUrl } from '../../lib/net/call-url.ts'
import type { Runtime } from '../../runtime.ts'

/** Calls the signalUrl. Logs a failure without the URL, because the URL may be a secret. Never throws. */
export async function callSignalUrl(
  { config, log }: { config: Pick<Runtime['config'], 'egress'>; log: Runtime['log'] },
  runId: string,
  signalUrl: string,
): Promise<void> {
  const fault = await callUrl(signalUrl, config.egress)
  if (fault !== null) log.warn('signalUrl call failed', { runId, reason: fault })
}
