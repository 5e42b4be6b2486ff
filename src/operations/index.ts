/** The complete list of what can be asked. */
import type { Operation } from '../contract.ts'
import * as project from './project.ts'

export const operations: readonly Operation[] = [
  ...Object.values(project),
]
