/** Which operations are asked by GET. */
import { methodOf } from '../src/api/contract.ts'
import { operations } from '../src/operations.ts'

const gets = new Set(operations.filter((it) => methodOf(it) === 'GET').map(({ name }) => name))

/** A name that is none is asked by POST. */
export const isGet = (name: string): boolean => gets.has(name)
