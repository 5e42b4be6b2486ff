/** The list of the database products that Berth runs, in the order in which a project lists its services. */
import type { Kind } from './kind.ts'
import { mariadb } from './mariadb/mariadb.ts'
import { mongo } from './mongo/mongo.ts'
import { mysql } from './mysql/mysql.ts'
import { postgres } from './postgres/postgres.ts'
import { redis } from './redis/redis.ts'

export const kinds: readonly Kind[] = [mariadb, mysql, postgres, mongo, redis]

/** The kind with this name, which a person or another version of Berth may have written; undefined if there is none. */
export const findKind = (name: string): Kind | undefined => kinds.find((kind) => kind.name === name)

/** @throws if no kind has this name. Names come from Berth's own records, so an unknown name is a defect */
export function kindNamed(name: string): Kind {
  const named = findKind(name)
  if (named === undefined) throw new Error(`There is no kind named ${name}`)
  return named
}
