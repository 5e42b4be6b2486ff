/** The question for a code of the second factor. The client asks it when Berth needs a code for a call. */
import { signal } from '@preact/signals'
import type { BerthError } from '../../../client/client.ts'

export interface CodeQuestion {
  /** Whether the last code was wrong or used. */
  isRepeated: boolean
  /** Sends the call again with the code. Null: the call is not made. */
  answer(code: string | null): void
}

/** The open question; null: there is none. */
export const codeQuestion = signal<CodeQuestion | null>(null)

/** Asks the person. One question is open at a time: a later call waits for the answer to an earlier one. */
export async function askCode({ reason }: BerthError): Promise<string | null> {
  while (codeQuestion.peek() !== null) await closed()
  const { promise, resolve } = Promise.withResolvers<string | null>()
  codeQuestion.value = { isRepeated: reason === 'ConfirmationWrong', answer: resolve }
  const code = await promise
  codeQuestion.value = null
  if (code === null) throw new Error('You gave no code, so nothing was changed.')
  return code
}

/** Resolves when the open question has been answered. */
function closed(): Promise<void> {
  return new Promise((resolve) => {
    const stop = codeQuestion.subscribe((present) => {
      if (present !== null) return
      // The first call comes before `subscribe` has returned.
      queueMicrotask(() => stop())
      resolve()
    })
  })
}
