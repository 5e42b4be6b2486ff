/** What lines of a service's log may quote and nobody is to read: all passwords that Berth knows of it. */
import type { InspectContext } from '../api/contract.ts'
import type { Kind } from '../kinds/kind.ts'
import { maskerOf } from '../lib/crypto/mask.ts'
import { prepared } from '../store/prepared.ts'
import { secretsOf } from './secrets.ts'

const rowOf = prepared((db, id: string) =>
  db
    .selectFrom('database')
    .select(['id', 'settings', 'secrets', 'target', 'lastGood', 'volumeId'])
    .where('id', '=', id),
)

const volumeOf = prepared((db, id: string) => db.selectFrom('volume').selectAll().where('id', '=', id))

/** Gives the masker of this moment, for passwords may change meanwhile; what was known once is masked on. */
export function maskingOf(
  { db, vault }: Pick<InspectContext, 'db' | 'vault'>,
  id: string,
  { secrets }: Kind,
): () => Promise<(text: string) => string> {
  const known = new Set<string>()
  let seen = ''
  let mask = maskerOf([])
  return async () => {
    const [row] = await rowOf(db, id)
    if (row === undefined) return mask
    const [volume = null] = row.volumeId === null ? [] : await volumeOf(db, row.volumeId)
    const sealed = [row.secrets, row.settings, row.target, row.lastGood, volume?.secrets, volume?.settings].join(' ')
    if (sealed === seen) return mask
    for (const secret of secretsOf(vault, row, volume, secrets)) known.add(secret)
    seen = sealed
    mask = maskerOf(known)
    return mask
  }
}
