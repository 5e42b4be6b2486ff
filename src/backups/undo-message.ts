/** The sentences that say why a restore cannot be undone. */
import type { NoUndo } from './undo.ts'

const otherDump = 'backup.runs lists the dumps that can be restored'

export function noUndoMessage(reason: NoUndo): string {
  switch (reason.reason) {
    case 'NothingReplaced':
      return `No restore has replaced the data of this database, so there is nothing to undo. ${otherDump}`
    case 'NotMade':
      return `The restore of ${reason.restoredAt} made no safety dump${causeText(reason)}. ${otherDump}`
    case 'SafetyDumpDeleted':
      return `The safety dump of the restore of ${reason.restoredAt} was deleted, because it had expired. ${otherDump}`
  }
}

const causeText = ({ cause }: Extract<NoUndo, { reason: 'NotMade' }>) =>
  cause === 'TargetEmpty' ? ', because the database was empty' : cause === 'NotWanted' ? ', as its caller asked' : ''
