/** The complete list of the database products that Berth runs. */
import type { Kind } from './kind.ts'
import { postgres } from './postgres.ts'

export const kinds: readonly Kind[] = [postgres]

/** The arrays in which a project carries its services, in the contract's order; those of no kind stay empty. */
export const serviceGroups = ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'] as const

/** Throws for a name that no kind has: names come from Berth's own records. */
export function kindNamed(name: string): Kind {
  const found = kinds.find((kind) => kind.name === name)
  if (found === undefined) throw new Error(`There is no kind named ${name}`)
  return found
}
