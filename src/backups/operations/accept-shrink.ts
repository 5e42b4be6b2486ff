/** The operation that accepts shrunk dumps, see ../retention/shrink.ts. */
import { z } from 'zod'
import { command } from '../../api/contract.ts'
import { refuse } from '../../errors.ts'
import { acceptShrinks, shrinksOf } from '../retention/shrink-marks.ts'
import { Backup, findBackup, toBackup } from '../fields.ts'
import { Id } from '../../api/fields.ts'

export const acceptShrink = command({
  name: 'backup.acceptShrink',
  summary: 'Accept that the dumps of a backup hold less than half of what they held before',
  description:
    'While `shrunk` of a backup is set, the rules of retention keep every dump that was made before that ' +
    'one. They delete them again after the next good dump, once this was called, or once a dump holds half of it ' +
    'again. Look at the database first: it may have been lost.',
  access: 'user:admin',
  input: z.object({ backupId: Id }),
  output: Backup,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  async run({ tx }, { backupId }) {
    const backup = await findBackup(tx, backupId)
    if (!(await shrinksOf(tx, backupId)).has(backupId)) {
      refuse('PRECONDITION_FAILED', 'No dump of this backup holds less than half of those before')
    }
    await acceptShrinks(tx, backupId)
    return toBackup(backup, null)
  },
})
