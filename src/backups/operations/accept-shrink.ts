/** The operation that accepts shrunk dumps as complete. See ../retention/shrink.ts. */
import { z } from 'zod'
import { everyCall } from '../../api/confirmation/fields.ts'
import { command } from '../../api/contract.ts'
import { refuse } from '../../errors.ts'
import { acceptShrinks, shrinksOf } from '../retention/shrink-marks.ts'
import { Backup, toBackup } from '../fields.ts'
import { findBackup } from './find.ts'
import { idOf } from '../../api/fields.ts'

export const acceptShrink = command({
  name: 'backup.acceptShrink',
  summary: 'Accept that the dumps of a backup have less than half of their earlier content',
  description:
    'While `shrunk` of a backup is set, retention keeps all dumps older than the first dump that shrank. This call ' +
    'clears `shrunk`. From the next good dump on, retention deletes the older dumps again. Check the database first, ' +
    'because its data may have been lost.',
  access: 'user:admin',
  reach: 'project',
  input: z.object({ backupId: idOf('backup') }),
  output: Backup,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  confirmation: everyCall,
  async run({ tx }, { backupId }) {
    const backup = await findBackup(tx, backupId)
    if (!(await shrinksOf(tx, backupId)).has(backupId)) {
      refuse('PRECONDITION_FAILED', 'The field shrunk of this backup is null, so there is nothing to accept')
    }
    await acceptShrinks(tx, backupId)
    return toBackup(backup, null)
  },
})
