/** Logs and statistics of a service, read from the engine on each call. Nothing is stored. */
import { z } from 'zod'
import { type InspectContext, inspect, type Operation } from '../../api/contract.ts'
import type { FoundTask, LogLine, LogOptions } from '../../engine/engine.ts'
import { refuse } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { idIn, idInput, inputOf } from './fields.ts'
import { findRow, type Row } from './records.ts'
import { logMasker } from '../log-secrets.ts'
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
  .describe('So many of the newest lines')

const Follow = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .describe('With true the lines to come are sent too, as they come')

const aboutLogs =
  'Lines are kept as long as the engine keeps their container: of a service that runs, those of its ' +
  'last containers too, up to 30 MB of each; of a stopped one mostly none. Passwords that Berth knows of the service ' +
  'are masked. Following ends with the service, or when Berth is stopped. To go on after a broken connection, send ' +
  'the time of the last line as since: that line comes again.'

function logs(kind: Kind): Operation {
  const Line = z.object({
    at: z.string().describe('When it was printed, in nanoseconds'),
    stream: z.enum(['stdout', 'stderr']),
    line: z.string().describe('As it was printed, control characters too'),
  })
  return inspect({
    name: `${kind.name}.logs`,
    summary: `Read what a ${kind.label} service prints, oldest first, or follow it`,
    description: aboutLogs,
    access: 'user:read',
    input: inputOf(kind, { tail: Tail, since: Since, follow: Follow }),
    output: z.array(Line),
    refusals: ['NOT_FOUND'],
    run: async (context, input) => {
      const row = await findRow(context.db, kind, idIn(kind, input))
      const masking = logMasker(context, row.id, kind)
      // The masker is read before and after the lines, because passwords can change in between.
      await masking()
      const lines = await Array.fromAsync(await linesOf(context, row, input, false))
      const mask = await masking()
      return lines.map((it) => ({ ...it, line: mask(it.line) }))
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
  follow: boolean,
): Promise<AsyncIterable<LogLine>> {
  // The volume is chosen before the first start. Without a volume, no container has ever run.
  if (row.volumeId === null) return noLines()
  const from = since === undefined ? null : instantOf(since, now())
  const request: LogOptions = { tail, since: from, follow }
  return engine.logs(row.appName, request, signal)
}

async function* noLines(): AsyncGenerator<LogLine> {}

async function* masked(lines: AsyncIterable<LogLine>, masking: ReturnType<typeof logMasker>): AsyncGenerator<LogLine> {
  for await (const it of lines) {
    const mask = await masking()
    yield { ...it, line: mask(it.line) }
  }
}

const Stats = z.object({
  cpuCores: z.number().describe('0.5 is half a core; over the last second'),
  memoryBytes: z.number().describe('Without the page cache that can be dropped'),
  memoryLimitBytes: z.number().nullable().describe('Null: none'),
  volumeBytes: z.number().nullable().describe('What its files take on the disk; null where counting takes too long'),
  startedAt: z.string().describe('When its container started'),
  at: z.string().describe('When this was measured'),
})

function stats(kind: Kind): Operation {
  return inspect({
    name: `${kind.name}.stats`,
    summary: `Measure what a ${kind.label} service uses now`,
    description: 'Takes one to two seconds, and as long as it takes to count the files.',
    access: 'user:read',
    input: idInput(kind),
    // A separate schema for each kind: openapi.json would name a shared one after the first kind.
    output: Stats.extend({}),
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
      // Counting the files loads the same container, so it runs after the measurement.
      return { ...usage, at: now().toISOString(), volumeBytes: await engine.usedBytes(task, dataPath) }
    },
  })
}

function refuseDown({ goal }: Row, { name }: Kind): never {
  if (goal === 'stopped') refuse('PRECONDITION_FAILED', `This service is stopped. Call ${name}.start`)
  refuse('PRECONDITION_FAILED', `This service was never deployed. Call ${name}.deploy`)
}

/** The running task of the service. Ignores tasks without Berth's digest: they belong to another service. */
async function runningTask(engine: InspectContext['engine'], { appName }: Row): Promise<FoundTask> {
  const tasks = (await engine.tasks([appName])).filter(({ digest }) => digest !== null)
  const running = tasks.find(({ state, desired }) => state === 'running' && desired === 'running')
  if (running !== undefined) return running
  const [newest] = tasks
  const state = newest === undefined ? 'has no container' : `is ${newest.state}`
  const why = tasks.find(({ failure }) => failure !== null)?.failure?.detail
  const detail = why === undefined ? '' : ` (${why})`
  return refuse(
    'PRECONDITION_FAILED',
    `This service does not run now: it ${state}${detail}. Try again when its applicationStatus is done`,
  )
}
