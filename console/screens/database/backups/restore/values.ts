/** The fields of the form of a restore, and the input of the API. Pure. */
import { idInput, type Kind } from '../../../../data/kinds.ts'

/** The dump: a run, or an object in the bucket of a destination. */
export type Source = { runId: string } | { destinationId: string; key: string }

export interface RestoreValues {
  /** `new` or `same`. */
  into: string
  appName: string
  projectId: string
  confirm: string
  database: string
  identity: string
  skipSafetyDump: boolean
  withoutNeeds: boolean
}

export function restoreInput(values: RestoreValues, source: Source, kind: Kind, databaseId: string) {
  const identity = values.identity.trim() === '' ? {} : { identity: values.identity.trim() }
  if (values.into === 'new') {
    const without = values.withoutNeeds ? { withoutNeeds: true } : {}
    return { ...source, appName: values.appName.trim(), projectId: values.projectId, ...without, ...identity }
  }
  const database = values.database.trim() === '' ? {} : { database: values.database.trim() }
  const skip = values.skipSafetyDump ? { skipSafetyDump: true } : {}
  return { ...source, ...idInput(kind, databaseId), confirm: values.confirm.trim(), ...database, ...skip, ...identity }
}
