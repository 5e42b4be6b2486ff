/** Refuses restores that could not succeed, or whose result would not be that of the dump, before they begin. */
import { objectText } from '../../dumps/finding-message.ts'
import { needsOf } from '../../dumps/finding-summary.ts'
import type { ActionContext } from '../../api/contract.ts'
import type { Manifest } from '../../dumps/manifest.ts'
import { spaceMessage } from '../../dumps/run-reason-message.ts'
import type { Row } from '../../databases/operations/records.ts'
import { openTarget } from '../../databases/targets.ts'
import { Refusal, refuse, refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { find as findVolume } from '../../volumes/queries.ts'
import { findLack } from '../restores/space.ts'
import type { RestoreContext } from './restore-fields.ts'

const maxNamed = 5

/**
 * Refuses a database name other than the dumped one if the dump can be restored only under that name: because the tool of
 * the kind would restore nothing and report no error, or because objects would read and change the database of the old
 * name.
 */
export function checkName({ database, contents }: Manifest, { label, backup }: Kind, name: string | undefined): void {
  if (name === undefined || name === database) return
  const { boundBy, objects } = contents
  if (boundBy !== undefined && boundBy.length > 0) {
    const named = boundBy.slice(0, maxNamed).map(objectText)
    const more = boundBy.length > maxNamed ? ' and others' : ''
    refuseName(database, `the dump has objects that name the database ${database}: ${named.join(', ')}${more}`)
  }
  const only = contents.database ?? backup?.database ?? null
  if (only !== null) refuseName(only, `a ${label} dump can be restored only into a database of the same name`)
  const types = boundBy === undefined ? (backup?.boundTypes ?? []).filter((type) => Object.hasOwn(objects, type)) : []
  if (types.length === 0) return
  refuseName(
    database,
    `the dump is of an older version of Berth and has objects that may name the database ${database} ` +
      `(${types.map((type) => type.toLowerCase()).join(', ')}). Restore a newer dump`,
  )
}

const refuseName = (database: string, cause: string): never =>
  refuseField('database', `must be ${database} or left out: ${cause}`)

/** Refuses a new service for a dump that needs other databases, unless the caller accepts what is missing. */
export function checkNeeds({ contents }: Manifest, { withoutNeeds }: { withoutNeeds?: boolean | undefined }): void {
  const needs = needsOf(contents)
  if (needs.length === 0 || withoutNeeds === true) return
  const all = (contents.findings ?? []).filter(({ reason }) => reason === 'DatabaseNeeded')
  const objects = [...new Set(all.slice(0, maxNamed).map(objectText))].join(', ')
  const more = all.length > maxNamed ? ` and ${all.length - maxNamed} more` : ''
  refuseField(
    'withoutNeeds',
    `must be true for a new service: ${objects}${more} of the dump need the databases ${needs.join(', ')}, which are not in ` +
      `the dump. Or restore a dump of ${needs.join(', ')} into a new service first, and then this dump into that service. ` +
      'With withoutNeeds, views that need them are left out',
    'PRECONDITION_FAILED',
  )
}

/**
 * Refuses a restore into an existing service whose node has no room for it. The run checks this once more, also if it cannot
 * be measured now, for example because the service is stopped.
 */
export async function checkSpace(
  { db, queryEngine }: Pick<ActionContext, 'db' | 'queryEngine'>,
  { name: kind }: Kind,
  id: string,
  { rawBytes }: Manifest,
): Promise<void> {
  const row = await db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirst()
  const volume = await findVolume(db, row?.volumeId ?? null)
  if (row === undefined || volume === null || row.goal !== 'up') return
  const lack = await queryEngine((engine) => findLack(engine, { kind, rawBytes }, row.appName, volume)).catch(
    (error: unknown) => {
      if (error instanceof Refusal) return null
      throw error
    },
  )
  if (lack === null) return
  refuse('PRECONDITION_FAILED', spaceMessage({ node: volume.nodeName, ...lack }), { reason: 'SpaceMissing' })
}

/** Refuses a dump that the server of an existing service cannot load, as far as the image tells its product. */
export async function checkServer(
  { tx, vault }: RestoreContext,
  { backup, label, productOf }: Kind,
  row: Row,
  dump: Manifest,
) {
  const from = dump.contents.server
  if (from === undefined || backup!.loads === undefined) return
  const volume = await tx
    .selectFrom('volume')
    .select('serverVersion')
    .where('id', '=', row.volumeId ?? '')
    .executeTakeFirst()
  const product = productOf?.(openTarget(vault, 'target', row)!.dockerImage) ?? label
  const to = { product, version: volume?.serverVersion ?? null }
  if (backup!.loads(from, to)) return
  refuse(
    'PRECONDITION_FAILED',
    `The dump is of ${from.product} ${from.version}. ${to.product} ${to.version} cannot load it. Restore it into a new ` +
      'service, which gets the image of the dump',
  )
}
