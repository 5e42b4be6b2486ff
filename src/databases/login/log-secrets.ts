/** Masks the passwords of a service in its log. */
import type { InspectContext } from '../../api/contract.ts'
import type { Kind } from '../../kinds/kind.ts'
import { maskerOf } from '../../lib/crypto/mask.ts'
import { prepared } from '../../store/prepared.ts'
import { secretsOf } from './secrets.ts'

const rowOf = prepared((db, id: string) =>
  db
    .selectFrom('database')
    .select(['id', 'settings', 'secrets', 'target', 'lastGood', 'volumeId'])
    .where('id', '=', id),
)

const volumeOf = prepared((db, id: string) => db.selectFrom('volume').selectAll().where('id', '=', id))

/**
 * Returns a function that reads the present passwords of the service. Each call of that function returns a masker of
 * these passwords and of all passwords that its earlier calls have read.
 */
export function logMasker(
  { db, vault }: Pick<InspectContext, 'db' | 'vault'>,
  id: string,
  { secrets }: Kind,
): () => Promise<(text: string) => string> {
  const known = new Set<string>()
  let previous = ''
  let mask = maskerOf([])
  return async () => {
    const [row] = await rowOf(db, id)
    if (row === undefined) return mask
    const [volume = null] = row.volumeId === null ? [] : await volumeOf(db, row.volumeId)
    const ofVolume = [volume?.secrets, volume?.settings, volume?.startSecrets, volume?.ownAccount]
    const sealed = [row.secrets, row.settings, row.target, row.lastGood, ...ofVolume].join(' ')
    if (sealed === previous) return mask
    for (const secret of secretsOf(vault, row, volume, secrets)) known.add(secret)
    previous = sealed
    mask = maskerOf(known)
    return mask
  }
}
