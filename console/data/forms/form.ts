/**
 * The state of a form. It belongs to the form alone: what Berth reports meanwhile never changes a field. A failed call
 * leaves all fields as they are, so nothing that a person has typed is lost.
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { BerthError } from '../../../client/client.ts'

export interface Form<V extends object> {
  fields: { [K in keyof V]: Signal<V[K]> }
  /** What the form began with. After a conflict: the record as it is now. */
  initial: Signal<V>
  /** The names of the fields that the person has changed. */
  changed: ReadonlySignal<(keyof V & string)[]>
  /** What Berth found wrong with each field, by its name, until the person changes the field. */
  issues: ReadonlySignal<Record<string, string>>
  /** Why the last attempt failed, besides the issues of fields; null if it did not. */
  error: Signal<unknown>
  isBusy: Signal<boolean>
  values(): V
  /** Begins anew with these values. */
  reset(values: V): void
  /** Calls `run` with the values. Returns whether it succeeded; otherwise `issues` and `error` say why. */
  submit(run: (values: V) => Promise<unknown>): Promise<boolean>
}

interface RefusedField<V> {
  name: keyof V & string
  message: string
  /** What the field had when Berth refused it. */
  value: unknown
}

/** @param initial the first values; later ones are ignored */
export function useForm<V extends object>(initial: V): Form<V> {
  return useMemo(() => formOf(initial), [])
}

export function formOf<V extends object>(first: V): Form<V> {
  const names = Object.keys(first) as (keyof V & string)[]
  const initial = signal(first)
  const fields = Object.fromEntries(names.map((name) => [name, signal(first[name])])) as Form<V>['fields']
  const refused = signal<readonly RefusedField<V>[]>([])
  const issues = computed(() =>
    Object.fromEntries(
      refused.value
        .filter(({ name, value }) => isEqual(fields[name].value, value))
        .map(({ name, message }) => [name, message]),
    ),
  )
  const error = signal<unknown>(null)
  const isBusy = signal(false)
  const changed = computed(() => names.filter((name) => !isEqual(fields[name].value, initial.value[name])))
  const values = () => Object.fromEntries(names.map((name) => [name, fields[name].peek()])) as V
  return { fields, initial, changed, issues, error, isBusy, values, reset, submit }

  function reset(present: V) {
    initial.value = present
    for (const name of names) fields[name].value = present[name]
    refused.value = []
    error.value = null
  }

  async function submit(run: (values: V) => Promise<unknown>): Promise<boolean> {
    if (isBusy.peek()) return false
    isBusy.value = true
    refused.value = []
    error.value = null
    try {
      await run(values())
      return true
    } catch (caught) {
      const known = caught instanceof BerthError ? caught.issues.filter(({ path }) => fieldIn(path) in fields) : []
      // The first message of a field is the one about its form.
      refused.value = known.toReversed().map(({ path, message }) => {
        const name = fieldIn(path) as keyof V & string
        return { name, message: entryText(path) + message, value: fields[name].peek() }
      })
      // A refusal that is only about fields of the form is shown at the fields.
      const isExplained = caught instanceof BerthError && known.length > 0 && known.length === caught.issues.length
      error.value = isExplained ? null : caught
      return false
    } finally {
      isBusy.value = false
    }
  }
}

/** Says which entry of a list an issue is about: `tlsNames.0` is the first one. */
const entryText = (path: string) => {
  const entry = /\.(\d+)/.exec(path)?.[1]
  return entry === undefined ? '' : `Entry ${Number(entry) + 1}: `
}

/** The field of an issue: that of an entry, such as `tlsNames.0`, belongs to the whole list. */
const fieldIn = (path: string) => path.split('.')[0]!

const isEqual = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b)

/** The values as they are now. A component that calls it is drawn again when one of them changes. */
export const presentValues = <V extends object>({ fields }: Pick<Form<V>, 'fields'>): V =>
  Object.fromEntries(Object.entries<Signal<unknown>>(fields).map(([name, field]) => [name, field.value])) as V
