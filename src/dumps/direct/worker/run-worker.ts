/** The worker program: reads instructions, connects to the storage, does the work and reports its result. */
import { getCACertificates } from 'node:tls'
import type { Readable, Writable } from 'node:stream'
import { BrokenArchive } from '../../../kinds/backup.ts'
import { egressOf } from '../../../lib/net/egress.ts'
import { lookupWithoutLoopback } from '../../../lib/net/loopback.ts'
import { StorageFault } from '../../../lib/s3/faults.ts'
import { openSignedStorage, type SignedStorage } from '../../../lib/s3/signed-storage.ts'
import { type Instructions, jsonLines, type Reply, type WorkerMessage, type WorkFailure } from '../protocol.ts'
import { pipesFolder } from '../pipes.ts'
import { makePipes, PipeClosed, pipeEnds, ToolIdle } from './pipe-ends.ts'
import { signatures } from './signatures.ts'
import { ObjectChanged, perform } from './work.ts'

export interface WorkerStreams {
  stdin: Readable
  stdout: Writable
  /** The folder of the pipes, which must be empty. */
  folder?: string
}

const [progressPeriodMs, maxReachMs] = [1000, 20_000]

/**
 * Runs until Berth closes the standard input or kills the worker. Returns the exit code. After a failure the worker keeps
 * its pipes open until then, so that no tool takes the end of a pipe for the end of a dump. After a success it waits,
 * too: the volume of the pipes is removed only if the container of the worker is removed last.
 */
export async function runWorker({ stdin, stdout, folder = pipesFolder }: WorkerStreams): Promise<number> {
  const send = (message: WorkerMessage) => void stdout.write(`${JSON.stringify(message)}\n`)
  const lines = jsonLines(stdin)
  const first = await lines.next()
  if (first.done === true) return 1
  const { work, storage: settings, idleMs } = first.value as Instructions
  const closed = new AbortController()
  const abandoned = Promise.withResolvers<never>()
  abandoned.promise.catch(() => undefined)
  const { sign, answer } = signatures(send)
  const inputEnded = (async () => {
    for await (const reply of lines) answer(reply as Reply)
  })()
    .catch(() => undefined)
    .then(() => {
      closed.abort()
      abandoned.reject(new Error('Berth closed the input'))
    })
  const storage = openStorage(settings, sign)
  const pipes = pipeEnds(folder, idleMs)
  const signal = closed.signal
  try {
    if (work.do !== 'count' && !(await isReached(storage, send, signal))) return 0
    await makePipes(folder)
    send({ type: 'ready' })
    const progress = progressOf(send)
    const tools = { storage, pipes, signal, progress }
    send({ type: 'done', report: await Promise.race([perform(work, tools), abandoned.promise]) })
    await inputEnded
    return 0
  } catch (error) {
    send({ type: 'failed', failure: failureOf(error) })
    await inputEnded
    return 1
  } finally {
    storage.close()
    pipes.close()
  }
}

function openStorage(
  { names, extraCa, onlyCa, limits, allowed }: Instructions['storage'],
  sign: Parameters<typeof openSignedStorage>[0]['sign'],
): SignedStorage {
  const ca = onlyCa === null ? [...getCACertificates('default'), ...extraCa] : [onlyCa]
  // The worker shares the network of a database: its loopback addresses are the database.
  const egress = egressOf([...allowed], lookupWithoutLoopback)
  return openSignedStorage({ sign, egress, ca, names, limits })
}

async function isReached(storage: SignedStorage, send: (message: WorkerMessage) => void, signal: AbortSignal) {
  const timeout = AbortSignal.timeout(maxReachMs)
  try {
    await storage.reach(AbortSignal.any([signal, timeout]))
    return true
  } catch (error) {
    if (signal.aborted || !(error instanceof StorageFault || timeout.aborted)) throw error
    const fault = error instanceof StorageFault ? error.kind : 'timeout'
    send({ type: 'unreachable', fault, message: (error as Error).message })
    return false
  }
}

/** Returns a function that adds up bytes and sends the sum of the last second. */
function progressOf(send: (message: WorkerMessage) => void): (bytes: number) => void {
  let sentAtMs = performance.now()
  let sum = 0
  return (bytes) => {
    sum += bytes
    if (performance.now() - sentAtMs < progressPeriodMs) return
    send({ type: 'progress', bytes: sum })
    sentAtMs = performance.now()
    sum = 0
  }
}

function failureOf(error: unknown): WorkFailure {
  if (error instanceof StorageFault) {
    const { kind: fault, message, isTransient } = error
    return { cause: 'storage', fault, message, isTransient }
  }
  if (error instanceof ToolIdle) return { cause: 'idle' }
  if (error instanceof ObjectChanged) return { cause: 'objectChanged' }
  if (error instanceof PipeClosed) return { cause: 'pipe' }
  const { message } = error as Error
  return { cause: error instanceof BrokenArchive ? 'archive' : 'other', message }
}
