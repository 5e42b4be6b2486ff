/** The code of the second factor for a call that can destroy data: from an option, a variable or the person. */
import type { ClientOptions } from '../../client/client.ts'
import type { Output } from '../terminal/output.ts'
import { ask } from '../terminal/prompt.ts'

/** What Berth's refusals say on the command line, by their reason. */
export const confirmationMessages: Readonly<Record<string, string>> = {
  ConfirmationMissing: 'This needs a code of your second factor. Nothing was changed',
  ConfirmationWrong: 'The code is wrong or was already used. Nothing was changed',
  SecondFactorMissing: 'This needs a code of a second factor, and your account has none. Nothing was changed',
}

export const confirmationHints: Readonly<Record<string, string>> = {
  ConfirmationMissing: 'Without a terminal, pass the code with --confirmation-code or BERTH_CONFIRMATION_CODE',
  ConfirmationWrong: 'Wait for the next code of the app. Each works once',
  SecondFactorMissing: 'Turn it on in a session of your account: berth account 2fa on',
}

const question = 'This needs a code of your second factor.\nCode of your authenticator app, or a recovery code: '

/**
 * Answers the client's question for a code. A given code is used once, because a second call cannot use it again.
 * @param given the code of the option or the variable; undefined: the person is asked, if there is a terminal
 */
export function confirmationCodeOf(
  output: Pick<Output, 'fault'>,
  given: string | undefined,
): NonNullable<ClientOptions['confirmationCode']> {
  let isUsed = false
  return async ({ reason }) => {
    if (given !== undefined) {
      if (isUsed) return null
      isUsed = true
      return given
    }
    if (process.stdin.isTTY !== true) return null
    if (reason === 'ConfirmationWrong') output.fault('The code is wrong or was already used. Wait for the next one')
    return (await ask(question)).trim()
  }
}
