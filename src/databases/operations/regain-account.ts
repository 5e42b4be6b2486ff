/** The operation that makes Berth's own account again on a server that lets nobody do this any more. */
import type { CommandContext, Operation } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import * as volumes from '../../volumes/queries.ts'
import { begin } from '../begin-work.ts'
import { newOwnAccount, sealOwnAccount } from '../login/own-account.ts'
import type { Commands } from './commands.ts'
import { regainInput } from './fields.ts'
import type { Row } from './records.ts'

export const regainAccount = (kind: Kind, { deploymentCommand }: Pick<Commands, 'deploymentCommand'>): Operation =>
  deploymentCommand({
    verb: 'regainAccount',
    summary: "Restart the service in its maintenance mode to make Berth's own account again, then as usual",
    access: 'user:admin',
    input: regainInput(kind),
    refusals: ['PRECONDITION_FAILED'],
    run: (context, row, { confirm }) => beginRegain(context, row, kind, confirm),
  })

async function beginRegain(context: CommandContext, row: Row, kind: Kind, confirm: string): Promise<Row> {
  const { tx, vault } = context
  if (confirm !== row.appName) refuseField('confirm', `must be the appName of this service: ${row.appName}`)
  if (kind.ownAccounts === undefined) {
    refuse(
      'PRECONDITION_FAILED',
      `Berth has no account of its own on servers of ${kind.label}: it starts them with a file of users that lets the ` +
        `stored password in. Call ${kind.name}.reload`,
    )
  }
  if (row.goal !== 'up' || row.volumeId === null || row.lastGood === null) {
    refuse('PRECONDITION_FAILED', `This service is stopped or has never run. Call ${kind.name}.deploy`)
  }
  await volumes.recordOwnAccount(tx, row.volumeId, sealOwnAccount(vault, row.volumeId, newOwnAccount(row.id)))
  await volumes.recordAccess(tx, row.volumeId, 'withoutOwn')
  return begin(context, row, 'regainAccount', {})
}
