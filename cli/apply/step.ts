/** The steps of a plan. A step is one call of the API, as data. Pure. */

/** A field with its value before and after. Null stands for no value. A secret has no values here. */
export interface Change {
  field: string
  from: string | null
  to: string | null
  isSecret: boolean
}

export interface Step {
  action: 'create' | 'change' | 'deploy' | 'stop' | 'remove'
  /** The record, for example `database shop/orders`. */
  subject: string
  changes: Change[]
  /** Whether a running database is restarted. */
  isRestart: boolean
  /** For example `postgres.update`. */
  operation: string
  input: Record<string, unknown>
  /** Fields of the input that get the id of a record: the field, and the subject of the record. */
  references: Record<string, string>
  /** The field of the answer that has the id of the record. */
  idField: string
  /** The fields of the input with secrets. */
  secretFields: string[]
  /** The path of the database that the step works on, for messages and progress; else null. */
  waitsFor: string | null
}

export interface Plan {
  steps: Step[]
  /** Records beside those of the file, which stay as they are. */
  notInFile: string[]
}

type StepParts = Pick<Step, 'action' | 'subject' | 'operation' | 'idField'> & Partial<Step>

export const stepOf = (parts: StepParts): Step => ({
  changes: [],
  isRestart: false,
  input: {},
  references: {},
  secretFields: [],
  waitsFor: null,
  ...parts,
})

type Value = string | number | boolean | null | undefined

const shown = (value: Value) => (value === null || value === undefined || value === '' ? null : String(value))

/** The change of a field; an empty list if the values are equal. */
export function changeOf(field: string, from: Value, to: Value): Change[] {
  const [before, after] = [shown(from), shown(to)]
  return before === after ? [] : [{ field, from: before, to: after, isSecret: false }]
}

/** The change of a field that is never shown. */
export const secretChangeOf = (field: string, isChanged: boolean): Change[] =>
  isChanged ? [{ field, from: null, to: null, isSecret: true }] : []
