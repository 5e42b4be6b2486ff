/** The operation that answers which dump a restore takes by default, and which safety dump undoes the last restore. */
import { z } from 'zod'
import { Id } from '../../api/fields.ts'
import { query } from '../../api/contract.ts'
import { refuseField } from '../../errors.ts'
import { Run, toRun } from '../run-fields.ts'
import { lastGoodOf, lastGoodOfDatabase, lastReplacement, runSummary } from '../run-queries.ts'
import { noUndoMessage } from '../undo-message.ts'
import { noUndoNames, undoOf } from '../undo.ts'
import { findBackup } from './find.ts'

const NoUndo = z.object({
  reason: z
    .enum(noUndoNames)
    .describe(
      'NothingReplaced: no restore has replaced the data. NotMade: the last restore made no safety dump. ' +
        'SafetyDumpDeleted: its safety dump had expired and was deleted',
    ),
  message: z.string().describe('The reason as a sentence, with what to do'),
})

export const restorable = query({
  name: 'backup.restorable',
  summary: 'Say which dump a restore takes by default, and which safety dump undoes the last restore',
  description:
    'Clients ask this before a restore, and restore the `runId` of the answer. `newest` is never a safety dump, so a ' +
    'repeated restore takes the same dump. A restore loses what changed after `startedAt` of its dump. Give either ' +
    'serviceId or backupId.',
  access: 'user:read',
  input: z.object({
    serviceId: Id.optional().describe('The service whose dumps are meant'),
    backupId: Id.optional().describe('The backup whose dumps are meant. `undo` is that of its service'),
  }),
  output: z.object({
    newest: Run.nullable().describe('The newest good dump that is not a safety dump; null: there is none'),
    undo: Run.nullable().describe(
      'The safety dump that the last restore into this service made before it replaced the data; null: see noUndo',
    ),
    noUndo: NoUndo.nullable().describe('Why `undo` is null; null: it is not'),
  }),
  refusals: ['NOT_FOUND'],
  async run({ db, now }, { serviceId, backupId }) {
    if ((serviceId === undefined) === (backupId === undefined)) {
      refuseField('serviceId', 'give either serviceId or backupId')
    }
    const databaseId = serviceId ?? (await findBackup(db, backupId!)).databaseId
    const found = backupId === undefined ? await lastGoodOfDatabase(db, databaseId!) : await lastGoodOf(db, backupId)
    const restore = databaseId === null ? undefined : await lastReplacement(db, databaseId)
    const safetyDump = restore?.safetyRunId == null ? undefined : await runSummary(db, restore.safetyRunId)
    const undo = undoOf(restore, safetyDump)
    const newest = found === undefined || found.key === null ? null : toRun(found, now())
    if ('status' in undo) return { newest, undo: toRun(undo, now()), noUndo: null }
    return { newest, undo: null, noUndo: { reason: undo.reason, message: noUndoMessage(undo) } }
  },
})
