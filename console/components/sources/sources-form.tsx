/** The form that changes a list of allowed sources of a record. */
import type { RecordForm } from '../../data/forms/record-form.ts'
import { presentValues } from '../../data/forms/form.ts'
import { reasonAgainstSources, type SourceValues, type Who } from '../../data/forms/sources.ts'
import { Conflicts } from '../forms/conflicts.tsx'
import { EqualCalls } from '../forms/equal-calls.tsx'
import { FormBox } from '../forms/form.tsx'
import { SourcesFields } from './sources-fields.tsx'

interface Props<V extends SourceValues> {
  form: RecordForm<V>
  /** The labels of the form's further fields, which are not shown. */
  labels: Record<keyof V & string, string>
  choices: readonly Who[]
  /** Why the person cannot change the list; null: the person can. */
  why: string | null
  save: (values: V, headers: Record<string, string>) => Promise<unknown>
  operation: string
  input: Record<string, unknown>
  command: string
}

export function SourcesForm<V extends SourceValues>(props: Props<V>) {
  const { form, labels, choices, why, save, operation, input, command } = props
  const submit = () => form.save((_, headers) => save(form.values(), headers))
  const unchanged = form.changed.value.length === 0 ? 'Nothing was changed' : null
  return (
    <FormBox
      form={{ ...form, submit }}
      submit="Save who can connect"
      unavailable={why ?? reasonAgainstSources(presentValues(form)) ?? unchanged}
      onSubmit={submit}
    >
      <Conflicts form={form} labels={labels} />
      <SourcesFields fields={form.fields} issue={form.issues.value.allowedSources} choices={choices} />
      <EqualCalls operation={operation} input={input} command={command} />
    </FormBox>
  )
}
