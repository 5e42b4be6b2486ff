/** The complete list of the database products that Berth runs, in the order in which a project carries them. */
import type { Kind } from './kind.ts'
import { mariadb } from './mariadb/mariadb.ts'
import { mongo } from './mongo/mongo.ts'
import { mysql } from './mysql/mysql.ts'
import { postgres } from './postgres/postgres.ts'
import { redis } from './redis/redis.ts'

export const kinds: readonly Kind[] = [mariadb, mysql, postgres, mongo, redis]

/** Throws for a name that no kind has: names come from Berth's own records. */
export function kindNamed(name: string): Kind {
  const found = kinds.find((kind) => kind.name === name)
  if (found === undefined) throw new Error(`There is no kind named ${name}`)
  return found
}
