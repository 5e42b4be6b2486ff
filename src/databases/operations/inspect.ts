/** Logs and statistics of a service, read from the engine on each call. Nothing is stored. */
import { z } from 'zod'
import { type InspectContext, inspect, type Operation } from '../../api/contract.ts'
import type { FoundTask, LogLine, LogOptions } from '../../engine/engine.ts'
import { refuse } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { idIn, idInput, inputOf } from './fields.ts'
import { findRow, type Row } from './records.ts'
import { logMasker } from '../login/log-secrets.ts'
import { Since } from '../../api/fields.ts'
import { instantOf } from '../../api/instants.ts'

export function inspectOperations(kind: Kind): Operation[] {
  return [logs(kind), stats(kind)]
}

const Tail = z.coerce
  .number('must be a whole number from 1 to 5000')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(5000, 'must be at most 5000')
  .default(100)
  .describe('Number of the newest lines to return')

const Follow = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .describe('If true, the response stays open and also sends new lines')

const aboutLogs =
  'Docker keeps the lines of a container as long as the container itself: up to 30 MB of each of the last containers ' +
  'of a running service, and usually nothing of a stopped one. Known passwords of the service are masked. Following ' +
  'ends when the service is removed or Berth stops. To resume after a lost connection, send the time of the last ' +
  'line as since; that line is sent again.'

function logs(kind: Kind): Operation {
  const Line = z.object({
    at: z.string().describe('Time at which the line was printed, to the nanosecond'),
    stream: z.enum(['stdout', 'stderr']).describe('Output of the server that the line comes from'),
    line: z.string().describe('Text of the line, including control characters'),
  })
  return inspect({
    name: `${kind.name}.logs`,
    summary: `Read or follow the log of a ${kind.label} service, oldest line first`,
    description: aboutLogs,
    access: 'user:read',
    input: inputOf(kind, { tail: Tail, since: Since, follow: Follow }),
    output: z.array(Line.meta({ title: 'LogLine' })),
    refusals: ['NOT_FOUND'],
    run: async (context, input) => {
      const row = await findRow(context.db, kind, idIn(kind, input))
      const readMask = logMasker(context, row.id, kind)
      // The passwords are read before and after the lines, because they can change in between.
      await readMask()
      const lines = await Array.fromAsync(await linesOf(context, row, input, false))
      const mask = await readMask()
      return lines.map((entry) => ({ ...entry, line: mask(entry.line) }))
    },
    stream: {
      isRequested: ({ follow }) => follow === 'true',
      open: async (context, input) => {
        const row = await findRow(context.db, kind, idIn(kind, input))
        return masked(await linesOf(context, row, input, true), logMasker(context, row.id, kind))
      },
    },
  })
}

async function linesOf(
  { engine, now, signal }: InspectContext,
  row: Row,
  { since, tail }: { since?: string | undefined; tail: number },
  shouldFollow: boolean,
): Promise<AsyncIterable<LogLine>> {
  // The volume is recorded before the first start. Without a volume, no container has ever run.
  if (row.volumeId === null) return noLines()
  const from = since === undefined ? null : instantOf(since, now())
  const request: LogOptions = { tail, since: from, follow: shouldFollow }
  return engine.logs(row.appName, request, signal)
}

async function* noLines(): AsyncGenerator<LogLine> {}

async function* masked(lines: AsyncIterable<LogLine>, readMask: ReturnType<typeof logMasker>): AsyncGenerator<LogLine> {
  for await (const entry of lines) {
    const mask = await readMask()
    yield { ...entry, line: mask(entry.line) }
  }
}

const Stats = z.object({
  cpuCores: z.number().describe('Used CPU cores during the last second; 0.5 means half a core'),
  memoryBytes: z.number().describe('Used memory, without page cache that the kernel can drop'),
  memoryLimitBytes: z.number().nullable().describe('Memory limit of the container; null if there is no limit'),
  volumeBytes: z.number().nullable().describe('Disk space of the files on the volume; null if counting takes too long'),
  startedAt: z.string().describe('Start of the container'),
  at: z.string().describe('Time of the measurement'),
})

function stats(kind: Kind): Operation {
  return inspect({
    name: `${kind.name}.stats`,
    summary: `Measure the CPU, memory and disk use of a ${kind.label} service`,
    description: 'Takes one to two seconds, plus the time to count the files on the volume.',
    access: 'user:read',
    input: idInput(kind),
    output: Stats.meta({ title: 'Stats' }),
    refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    run: async ({ db, engine, now }, input) => {
      const row = await findRow(db, kind, idIn(kind, input))
      if (row.goal !== 'up' || row.volumeId === null) refuseDown(row, kind)
      const { dataPath } = await db
        .selectFrom('volume')
        .select('dataPath')
        .where('id', '=', row.volumeId)
        .executeTakeFirstOrThrow()
      const task = await runningTask(engine, row)
      const usage = await engine.stats(task)
      // Counting the files uses the CPU of the same container, so it must not run during the measurement.
      return { ...usage, at: now().toISOString(), volumeBytes: await engine.usedBytes(task, dataPath) }
    },
  })
}

function refuseDown({ goal }: Row, { name }: Kind): never {
  if (goal === 'stopped') refuse('PRECONDITION_FAILED', `This service is stopped. Call ${name}.start`)
  refuse('PRECONDITION_FAILED', `This service was never deployed. Call ${name}.deploy`)
}

/** The running task of the service. Tasks without a digest are ignored, because Berth did not create their service. */
async function runningTask(engine: InspectContext['engine'], { appName }: Row): Promise<FoundTask> {
  const tasks = (await engine.tasks([appName])).filter(({ digest }) => digest !== null)
  const running = tasks.find(({ state, desired }) => state === 'running' && desired === 'running')
  if (running !== undefined) return running
  const [newest] = tasks
  const state = newest === undefined ? 'it has no container' : `its container is ${newest.state}`
  const failure = tasks.find((task) => task.failure !== null)?.failure
  const detail = failure == null ? '' : ` (${failure.detail})`
  return refuse(
    'PRECONDITION_FAILED',
    `This service does not run now: ${state}${detail}. Try again when its applicationStatus is done`,
  )
}
