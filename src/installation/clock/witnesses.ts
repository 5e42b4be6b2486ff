/**
 * Asks the storages and registries for the time: each answer of an HTTP server has it in the header `Date`. A server on
 * the machine of Berth has the same clock, so it is not a witness.
 */
import { networkInterfaces } from 'node:os'
import type { Egress } from '../../lib/net/egress.ts'
import { askTime, type Connection, type Testimony } from '../../lib/net/server-time.ts'
import { parseRegistry } from '../../lib/registry-client/registry.ts'
import { webOriginOf } from '../../backups/destinations/open.ts'
import type { Reader } from '../../store/schema.ts'

export type IsOwnMachine = (connection: Connection) => boolean

/** More of them would not make the time more certain. */
const maxServers = 5

/** Whether the server has an address of this machine. */
export const hasOwnAddress: IsOwnMachine = ({ localAddress, remoteAddress }) =>
  remoteAddress === undefined ||
  remoteAddress === localAddress ||
  Object.values(networkInterfaces())
    .flat()
    .some((own) => own?.address === remoteAddress.replace(/^::ffff:/, ''))

/** The URLs of the storages and registries, newest first, one for each server. */
export async function witnessUrls(db: Reader): Promise<URL[]> {
  const destinations = await db.selectFrom('destination').select(['kind', 'endpoint']).orderBy('id', 'desc').execute()
  const registries = await db.selectFrom('registry').select('registryUrl').orderBy('id', 'desc').execute()
  const origins = [
    ...destinations.map(webOriginOf),
    ...registries.map(({ registryUrl }) => parseRegistry(registryUrl)?.origins[0]),
  ]
  return [...new Set(origins.filter((origin) => origin !== null && origin !== undefined))]
    .slice(0, maxServers)
    .map((it) => new URL(it))
}

/** Asks all servers at once. Those that do not answer, and those on this machine, are left out. */
export async function testimonies(urls: URL[], egress: Egress, isOwnMachine: IsOwnMachine): Promise<Testimony[]> {
  const answers = await Promise.allSettled(urls.map((url) => askTime(url, egress, isOwnMachine)))
  return answers.flatMap((answer) => (answer.status === 'fulfilled' && answer.value !== null ? [answer.value] : []))
}
