/** Programs that connect to a database, with its real address. The password comes from the environment. Pure. */
import type { Kind } from '../../../data/kinds.ts'
import type { Address, Programs } from './programs/address.ts'
import { mongo } from './programs/mongo.ts'
import { mariadb, mysql } from './programs/mysql.ts'
import { postgres } from './programs/postgres.ts'
import { redis } from './programs/redis.ts'

export interface Snippet {
  name: string
  text: string
}

/**
 * Reads a URL of a database's `connection`.
 * @param isVerified whether the URL is one with which the client verifies the server
 */
export function addressOf(url: string, isVerified: boolean): Address {
  const { hostname, port, username, pathname } = new URL(url)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    isVerified,
  }
}

const programs: Record<Kind, Programs> = { postgres, mysql, mariadb, mongo, redis }

/** The programs for a kind; the first one is for a terminal. */
export const snippetsFor = (kind: Kind, address: Address): Snippet[] =>
  programs[kind].map(([name, write]) => ({ name, text: write(address) }))

/** Hides the password of a URL. Berth has masked it already, unless the record was read with passwords. */
export const maskedUrl = (url: string): string => url.replace(/^([^:]+:\/\/[^:@]*:)[^@]*@/, '$1********@')
