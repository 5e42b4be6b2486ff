/** Checks the names that a change adds to the certificate of a database. */
import type { CommandContext } from '../../api/contract.ts'
import { checkAllProjects } from '../../api/reach/reach.ts'
import type { Config } from '../../config.ts'
import { refuseField } from '../../errors.ts'
import { fromJson } from '../../lib/json.ts'
import { coversHost } from '../../lib/text/tls-name.ts'
import { prepared } from '../../store/prepared.ts'
import type { DatabaseTable, Reader } from '../../store/schema.ts'

type NameContext = Pick<CommandContext, 'tx' | 'config' | 'actor'>

/**
 * Refuses names that belong to Berth or to another database: their owner could pass as those. A certificate of the
 * installation's authority is a right beyond one project, so only callers that reach all projects can add names.
 *
 * @param before the names that are stored
 */
export async function checkTlsNames(
  { tx, config, actor }: NameContext,
  { id, tlsNames }: Pick<DatabaseTable, 'id' | 'tlsNames'>,
  before: readonly string[],
): Promise<void> {
  const added = fromJson(tlsNames).filter((name) => !before.includes(name))
  if (added.length === 0) return
  checkAllProjects(actor.reach, 'tlsNames: the choice of names in a certificate')
  for (const name of added) {
    if (config.publicUrl !== null && coversHost(name, config.publicUrl.host)) {
      refuseField('tlsNames', `${name} covers ${config.publicUrl.host}, the host of Berth itself (BERTH_PUBLIC_URL)`)
    }
    if (await isNameOfAnother(tx, serviceIn(name, config), id)) {
      refuseField('tlsNames', `${name} is a name of another database on the swarm. Leave it out`, 'CONFLICT')
    }
  }
}

/** The databases other than `ownId` whose appName is this name in lower case. */
export const databasesNamed = prepared((db, service: string, ownId: string) =>
  db
    .selectFrom('database')
    .select('id')
    .where((eb) => eb(eb.fn('lower', ['appName']), '=', service))
    .where('id', '!=', ownId),
)

const isNameOfAnother = async (db: Reader, service: string, ownId: string) =>
  (await databasesNamed(db, service, ownId)).length > 0

/** The service that clients on Berth's network reach by this name: NAME, tasks.NAME, and both with the network's name. */
function serviceIn(name: string, { networkName }: Pick<Config, 'networkName'>): string {
  const lower = name.toLowerCase()
  const suffix = `.${networkName}`
  const host = lower.endsWith(suffix) ? lower.slice(0, -suffix.length) : lower
  return host.startsWith('tasks.') ? host.slice('tasks.'.length) : host
}

const namesOfOthers = prepared((db, ownId: string) =>
  db
    .selectFrom('database')
    .select('tlsNames')
    .where('id', '!=', ownId)
    .where('tlsNames', '!=', '[]' as never),
)

/** Whether the host of Berth, or a name in the certificate of another database, would lead to a service of this name. */
export async function isTlsNameOfAnother(
  { tx, config }: Pick<NameContext, 'tx' | 'config'>,
  appName: string,
  ownId: string,
): Promise<boolean> {
  const service = appName.toLowerCase()
  if (config.publicUrl !== null && serviceIn(config.publicUrl.host, config) === service) return true
  const rows = await namesOfOthers(tx, ownId)
  return rows.some(({ tlsNames }) => fromJson(tlsNames).some((name) => serviceIn(name, config) === service))
}
