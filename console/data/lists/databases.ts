/**
 * All databases, as a live list. An event changes only the row of its database, so that a list of 1,000 rows stays fluid
 * while many of them change. What events do not contain is read again a little later.
 */
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Change, Database } from '../../../client/client.ts'
import { api } from '../api.ts'
import { isLive, onEvent } from '../live/events.ts'
import { repeater } from '../live/query.ts'

export interface DatabaseList {
  /** A signal for each database, in the order of their names; undefined until the first answer. */
  rows: ReadonlySignal<Signal<Database>[] | undefined>
  error: ReadonlySignal<unknown>
  reload(): Promise<void>
}

/** The whole list is read at most this often, in milliseconds. */
const rereadMs = 3000

const rows = signal<Signal<Database>[] | undefined>(undefined)
const error = signal<unknown>(null)
const byId = new Map<string, Signal<Database>>()
let users = 0
let end = () => {}

/** The list is kept up to date while a component uses it. */
export function useDatabases(): DatabaseList {
  useEffect(() => {
    users++
    if (users === 1) end = begin()
    return () => {
      users--
      if (users === 0) end()
    }
  }, [])
  return { rows, error, reload: read }
}

/** After another person has signed in. */
export function forgetDatabases(): void {
  byId.clear()
  rows.value = undefined
}

function begin(): () => void {
  const repeat = repeater(read, rereadMs)
  const unsubscribe = onEvent((event) => {
    if (event.type === 'change' && event.kind === 'database') apply(event)
    if (event.type === 'reset' || event.kind === 'database' || event.kind === 'project') repeat.later()
  })
  const endRetry = effect(() => {
    if (isLive.value === true && error.peek() !== null) repeat.later()
  })
  void repeat.now()
  return () => {
    endRetry()
    unsubscribe()
    repeat.stop()
  }
}

async function read(): Promise<void> {
  try {
    const list = await api.database.all()
    batch(() => {
      replace(list)
      error.value = null
    })
  } catch (caught) {
    error.value = caught
  }
}

/** Changes only the signals of rows that differ. */
function replace(list: Database[]) {
  const sorted = list.toSorted(byName)
  for (const database of sorted) {
    const row = byId.get(database.databaseId)
    if (row === undefined) byId.set(database.databaseId, signal(database))
    else if (!isSame(row.peek(), database)) row.value = database
  }
  const present = sorted.map(({ databaseId }) => byId.get(databaseId)!)
  const before = rows.peek()
  if (before?.length === present.length && present.every((row, at) => row === before[at])) return
  rows.value = present
  const ids = new Set(sorted.map(({ databaseId }) => databaseId))
  for (const id of byId.keys()) if (!ids.has(id)) byId.delete(id)
}

const collator = new Intl.Collator('en', { numeric: true })
const byName = (a: Database, b: Database) =>
  collator.compare(a.projectName, b.projectName) || collator.compare(a.name, b.name)

const isSame = (a: Database, b: Database) => (Object.keys(b) as (keyof Database)[]).every((name) => a[name] === b[name])

/** The fields that an event has. */
function apply({ recordId, change, record }: Change) {
  const row = byId.get(recordId)
  if (row === undefined) return
  if (change === 'removed') {
    byId.delete(recordId)
    rows.value = rows.peek()?.filter((each) => each !== row)
    return
  }
  const { name, appName, applicationStatus, containerState, pendingChanges } = record as Partial<Database>
  const known = Object.entries({ name, appName, applicationStatus, containerState, pendingChanges }).filter(
    ([, value]) => value !== undefined,
  )
  const next = { ...row.peek(), ...Object.fromEntries(known) }
  if (!isSame(row.peek(), next)) row.value = next
}
