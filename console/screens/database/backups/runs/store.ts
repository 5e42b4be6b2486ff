/**
 * The runs of a database during the last 90 days, as a live list. There may be thousands of them, so an event does not
 * read all of them again: it changes its run, or reads that one run.
 */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Change, Run } from '../../../../../client/client.ts'
import { api } from '../../../../data/api.ts'
import { onEvent } from '../../../../data/live/events.ts'
import { repeater } from '../../../../data/live/query.ts'

export interface RunList {
  /** Newest first; undefined until the first page has arrived. */
  data: ReadonlySignal<readonly Run[] | undefined>
  /** Whether older runs are still being read. */
  isPartial: ReadonlySignal<boolean>
  error: ReadonlySignal<unknown>
  reload(): Promise<void>
}

const pageSize = 500
/** The newest runs, which are read again when a run begins or ends. */
const recentSize = 40
const readDays = '91d'

export function useRuns(databaseId: string): RunList {
  const list = useMemo(() => runList(databaseId), [databaseId])
  useEffect(() => list.follow(), [list])
  return list
}

function runList(serviceId: string) {
  const data = signal<readonly Run[] | undefined>(undefined)
  const isPartial = signal(true)
  const error = signal<unknown>(null)
  let reading = 0
  const recent = repeater(
    guarded(error, async () => merge(await api.backup.runs({ serviceId, order: 'desc', limit: recentSize }))),
  )
  const reload = guarded(error, readAll)
  return { data, isPartial, error, reload, follow }

  function follow(): () => void {
    void reload()
    const unsubscribe = onEvent((event) => {
      if (event.type === 'reset') void reload()
      else if (event.kind === 'run' && (event.record as Partial<Run>).databaseId === serviceId) apply(event)
    })
    return () => {
      reading++
      unsubscribe()
      recent.stop()
    }
  }

  async function readAll() {
    const own = ++reading
    isPartial.value = true
    let all: Run[] = []
    for await (const page of pagesOf(serviceId)) {
      if (own !== reading) return
      all = [...all, ...page]
      merge(all)
    }
    const ids = new Set(all.map(({ runId }) => runId))
    data.value = data.peek()?.filter((run) => ids.has(run.runId) || run.createdAt > (all[0]?.createdAt ?? ''))
    isPartial.value = false
  }

  function merge(runs: readonly Run[]) {
    const byId = new Map((data.peek() ?? []).map((run) => [run.runId, run]))
    for (const run of runs) byId.set(run.runId, run)
    // Ids grow with time.
    data.value = [...byId.values()].sort((a, b) => (a.runId < b.runId ? 1 : -1))
  }

  /** Progress is in the event. All else is read. */
  function apply({ recordId, change, record }: Change) {
    const known = data.peek()?.find(({ runId }) => runId === recordId)
    const { status, step, progressBytes } = record as Partial<Run>
    if (change === 'removed') data.value = data.peek()?.filter(({ runId }) => runId !== recordId)
    else if (known?.status === 'running' && status === 'running' && known.startedAt !== null) {
      const sent = { step: step ?? known.step, progressBytes: progressBytes ?? known.progressBytes }
      merge([{ ...known, ...sent }])
      if (step !== known.step) recent.later()
    } else if (known !== undefined && known.status !== 'running')
      void guarded(error, async () => merge(await readAgain(serviceId, known)))()
    else recent.later()
  }
}

/** A drill changes the run of an older dump, which is not among the newest runs. */
async function readAgain(serviceId: string, { runId, createdAt }: Run): Promise<Run[]> {
  const runs = await api.backup.runs({ serviceId, order: 'asc', since: createdAt, limit: 5 })
  return runs.filter((run) => run.runId === runId)
}

/** All runs of the 90 days, newest first, page by page. */
async function* pagesOf(serviceId: string): AsyncGenerator<Run[]> {
  let cursor: string | null = null
  do {
    let next: string | null = null
    const onHeaders = (headers: Pick<Headers, 'get'>) => {
      next = headers.get('berth-next-cursor')
    }
    const input = { serviceId, order: 'desc' as const, since: readDays, limit: pageSize }
    yield await api.backup.runs(cursor === null ? input : { ...input, cursor }, { onHeaders })
    cursor = next
  } while (cursor !== null)
}

/** A read whose failure becomes the value of a signal. */
function guarded(error: Signal<unknown>, read: () => Promise<void>) {
  return async () => {
    try {
      await read()
      error.value = null
    } catch (caught) {
      error.value = caught
    }
  }
}
