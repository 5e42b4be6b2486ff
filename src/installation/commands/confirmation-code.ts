/** The command that prints a code for `state.confirm`. Only a user who can read the data folder can run it. */
import type { Config } from '../../config.ts'
import { appendMachineEntry } from '../../api/audit-log.ts'
import { codeMinutes, issueCode } from '../confirmation/code.ts'
import { unconfirmedSince } from '../../store/unconfirmed.ts'
import { openStoreForCommand } from './open-store.ts'

/**
 * Issues a code, which replaces an earlier one.
 * @returns the text for the operator, the only place where the code is shown
 */
export async function printCode(config: Config): Promise<string> {
  const { transact, vault, close } = await openStoreForCommand(config)
  try {
    return await transact(async (tx) => {
      if ((await unconfirmedSince(tx)) === null) return 'The state is confirmed. No code is needed.'
      const now = new Date()
      const code = await issueCode(tx, now)
      await appendMachineEntry(tx, vault, 'machine.issueConfirmationCode', null, now)
      return codeText(code)
    })
  } finally {
    await close()
  }
}

const codeText = (code: string) =>
  [
    'This code confirms the restored state:',
    '',
    `  ${code}`,
    '',
    `It is valid once, for ${codeMinutes} minutes. Enter it where berth state review or the console asks for it.`,
  ].join('\n')
