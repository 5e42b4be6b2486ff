/** The kinds of database that Berth runs. */
import type { Kind } from './kind.ts'
import { postgres } from './postgres.ts'

export const kinds: readonly Kind[] = [postgres]
/** The arrays that a project carries, by the contract. */
export const serviceGroups = ['mariadb', 'mysql', 'postgres', 'mongo', 'redis'] as const

export function kindNamed(name: string): Kind {
  const found = kinds.find((kind) => kind.name === name)
  if (found === undefined) throw new Error(`There is no kind named ${name}`)
  return found
}
