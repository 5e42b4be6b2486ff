/** A folder of an SFTP server as a storage. A broken connection is made again, within the limits of retries. */
import { fileStorage } from '../files/file-storage.ts'
import type { FileConnection, Files, FileTools } from '../files/files.ts'
import { egressOf } from '../net/egress.ts'
import type { StorageFault, Verb } from '../storage/faults.ts'
import { retryWaits, usualLimits } from '../storage/retries.ts'
import type { Storage, StorageOptions } from '../storage/storage.ts'
import { addressText } from './address.ts'
import { sftpFaultOf, sftpTimeout } from './faults.ts'
import { openSession, type Session, type SftpSettings } from './session.ts'
import { sftpFiles } from './sftp-files.ts'

export type { SftpSettings } from './session.ts'

/** Sends no request. Dispose of the storage to close its connection. */
export const openSftp = (settings: SftpSettings, options: StorageOptions = {}): Storage =>
  fileStorage(sftpConnection(settings, options))

interface Open {
  session: Session
  files: Files
}

function sftpConnection(settings: SftpSettings, { egress = egressOf([]), ...limits }: StorageOptions): FileConnection {
  const { attempts, waitMs, idleMs } = { ...usualLimits, ...limits }
  const host = addressText(settings)
  const contextOf = (verb: Verb) => ({ verb, host, user: settings.user, base: settings.folder })
  const waitForRetry = retryWaits(attempts, waitMs)
  const connect = connector(settings, egress)
  /** The timers of the calls in progress. Each answer of the server starts them again. */
  const timers = new Set<NodeJS.Timeout>()

  async function attempt<T>(
    verb: Verb,
    signal: AbortSignal,
    run: (files: Files) => Promise<T>,
  ): Promise<{ fault: StorageFault } | { answer: T }> {
    signal.throwIfAborted()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), idleMs)
    timers.add(timer)
    const ended = AbortSignal.any([signal, timeout.signal])
    // The work must not go on after its end was reported, so its connection ends.
    const end = () => connect.current()?.abort()
    ended.addEventListener('abort', end, { once: true })
    try {
      const { session, files } = await connect.open(ended)
      session.onAnswer = () => {
        for (const each of timers) each.refresh()
      }
      return { answer: await Promise.race([run(files), abortOf(ended)]) }
    } catch (error) {
      signal.throwIfAborted()
      return {
        fault: timeout.signal.aborted ? sftpTimeout(contextOf(verb), idleMs) : sftpFaultOf(error, contextOf(verb)),
      }
    } finally {
      clearTimeout(timer)
      timers.delete(timer)
      ended.removeEventListener('abort', end)
    }
  }

  return {
    base: settings.folder,
    host,
    async ask<T>(verb: Verb, signal: AbortSignal, run: (tools: FileTools) => Promise<T>, most = attempts) {
      let since: number | undefined
      for (let count = 1; ; count++) {
        const result = await attempt(verb, signal, (files) => run({ files, attempt: count }))
        if (!('fault' in result)) return result.answer
        if (count >= most) throw result.fault
        since ??= performance.now()
        await waitForRetry(result.fault, { count, since }, signal)
      }
    },
    waitForRetry,
    faultOf: (error, verb) => sftpFaultOf(error, contextOf(verb)),
    close: () => connect.close(),
  }
}

/** Opens a connection when there is none, one at a time. */
function connector(settings: SftpSettings, egress: ReturnType<typeof egressOf>) {
  let current: Open | null = null
  let opening: Promise<Open> | null = null
  let isClosed = false
  const open = async (signal: AbortSignal): Promise<Open> => {
    const session = await openSession(settings, egress, signal)
    if (isClosed) session.close()
    current = { session, files: sftpFiles(session, addressText(settings)) }
    return current
  }
  return {
    current: () => current?.session ?? null,
    open(signal: AbortSignal): Promise<Open> {
      if (current?.session.isOpen() === true) return Promise.resolve(current)
      opening ??= open(signal).finally(() => {
        opening = null
      })
      return opening
    },
    close() {
      isClosed = true
      current?.session.close()
    },
  }
}

/** Is rejected with the reason of the signal. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
