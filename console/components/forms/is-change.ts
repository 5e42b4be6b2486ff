/** Whether an operation is called with POST. */
import { names } from '../../../client/operations.ts'

const reads = new Set(
  names.flatMap((line) => {
    const [group, ...verbs] = line.split(' ')
    return verbs.filter((verb) => verb.endsWith('?')).map((verb) => `${group}.${verb.slice(0, -1)}`)
  }),
)

export const isChange = (operation: string): boolean => !reads.has(operation)
