/**
 * Edits one record. The change is sent with If-Match: if somebody else has changed the record meanwhile, Berth refuses
 * it, and the form shows both versions.
 */
import { signal, type Signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { BerthError } from '../../../client/client.ts'
import { type Form, formOf } from './form.ts'

/** A field that another person has changed since the form began. */
export interface Conflict {
  field: string
  /** What the form began with. */
  before: unknown
  /** What the record has now. */
  theirs: unknown
}

export interface RecordForm<V extends object> extends Form<V> {
  /** What others have changed; null: nothing is known. */
  conflicts: Signal<Conflict[] | null>
  /** Calls `change` with the changed fields and the header If-Match. Returns whether it succeeded. */
  save(change: (changed: Partial<V>, headers: Record<string, string>) => Promise<unknown>): Promise<boolean>
  /** Replaces the person's text of a field by what the record has. */
  takeTheirs(field: string): void
}

/** Reads the record anew: the values of the form's fields, and the tag of the record. */
export type ReadRecord<V> = () => Promise<{ values: V; etag: string }>

/** @param first the record as the person sees it. Later ones are ignored */
export function useRecordForm<V extends object>(
  first: { values: V; etag: string },
  read: ReadRecord<V>,
): RecordForm<V> {
  return useMemo(() => recordFormOf(first, read), [])
}

export function recordFormOf<V extends object>(first: { values: V; etag: string }, read: ReadRecord<V>): RecordForm<V> {
  const form = formOf(first.values)
  const conflicts = signal<Conflict[] | null>(null)
  let etag = first.etag
  return { ...form, conflicts, save, takeTheirs }

  async function save(change: Parameters<RecordForm<V>['save']>[0]): Promise<boolean> {
    const sent = form.values()
    const changed = Object.fromEntries(form.changed.peek().map((name) => [name, sent[name]])) as Partial<V>
    const attempt = () => form.submit(() => change(changed, { 'if-match': etag }))
    let isSaved = await attempt()
    // A change of a field that this form does not have is no conflict: the call is repeated with the new tag.
    if (!isSaved && isConflict(form.error.peek()) && !(await findConflicts())) isSaved = await attempt()
    if (!isSaved) return false
    conflicts.value = null
    await takeSaved(sent)
    return true
  }

  async function takeSaved(sent: V) {
    // The change is saved, whatever becomes of this read. With the old tag, the next change reads the record again.
    const present = await read().catch(() => ({ values: sent, etag }))
    etag = present.etag
    form.initial.value = present.values
    for (const name of Object.keys(present.values) as (keyof V)[]) {
      // What was typed while the call was under way stays.
      if (form.fields[name].peek() === sent[name]) form.fields[name].value = present.values[name]
    }
  }

  /** Shows what others have changed. Returns false if they have changed none of the fields. */
  async function findConflicts(): Promise<boolean> {
    const before = form.initial.peek()
    const present = await read().catch((error: unknown) => {
      form.error.value = error
      return null
    })
    if (present === null) return true
    const names = Object.keys(before) as (keyof V & string)[]
    const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(present.values[name]))
    // The tag is the same: Berth refused the change for another reason.
    if (present.etag === etag) return true
    const untouched = names.filter((name) => !form.changed.peek().includes(name))
    etag = present.etag
    if (differing.length === 0) return false
    form.initial.value = present.values
    for (const name of untouched) form.fields[name].value = present.values[name]
    conflicts.value = differing.map((field) => ({ field, before: before[field], theirs: present.values[field] }))
    form.error.value = null
    return true
  }

  function takeTheirs(field: string) {
    const name = field as keyof V
    form.fields[name].value = form.initial.peek()[name]
  }
}

const isConflict = (error: unknown) => error instanceof BerthError && error.code === 'PRECONDITION_FAILED'
