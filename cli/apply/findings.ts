/** What the parts of the planner get, and what they find. Pure. */
import type { ApplyFile } from './format.ts'
import type { Resolve } from './references.ts'
import type { State } from './state.ts'
import type { Plan } from './step.ts'

export interface PlanInput {
  file: ApplyFile
  state: State
  /** Replaces references by secrets. */
  resolve: Resolve
  /** Whether secrets that Berth never answers are sent again. */
  shouldResendSecrets: boolean
}

export interface Findings extends Plan {
  /** Why the file cannot be applied. */
  problems: string[]
}

export const joined = (parts: readonly Partial<Findings>[]): Findings => ({
  steps: parts.flatMap(({ steps = [] }) => steps),
  notInFile: parts.flatMap(({ notInFile = [] }) => notInFile),
  problems: parts.flatMap(({ problems = [] }) => problems),
})

/** Names are the identity of records. Returns the one record; undefined if there is none; null if there are several. */
export function oneOf<T>(records: readonly T[]): T | undefined | null {
  return records.length > 1 ? null : records[0]
}

export const ambiguous = (subject: string, count: number): Partial<Findings> => ({
  problems: [`${subject}: ${count} records have this name. Rename or remove all but one`],
})
