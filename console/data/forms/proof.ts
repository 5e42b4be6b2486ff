/**
 * The proof that Berth asks for before it gives lasting access, unless the person signed in within the last ten minutes:
 * the own password, and a code of the second factor. So a stolen session is not enough to take over an account.
 */
import { signal } from '@preact/signals'
import { BerthError } from '../../../client/client.ts'

export interface Proof {
  currentPassword?: string
  code?: string
}

/** A call that waits for the proof. */
export interface ProofRequest {
  /** Whether the account has a second factor, so that a code is needed, too. */
  needsCode: boolean
  /** Repeats the call. Throws if the proof is wrong: then the person can correct it. */
  confirm(proof: Proof): Promise<void>
  cancel(): void
}

/** The call that the dialog asks about; null: none. */
export const proofRequest = signal<ProofRequest | null>(null)

/** Makes a call. If Berth refuses it because the proof is missing, asks the person for it and makes the call again. */
export async function withProof<T>(call: (proof: Proof) => Promise<T>): Promise<T> {
  try {
    return await call({})
  } catch (error) {
    if (!(error instanceof BerthError) || error.reason !== 'ProofMissing') throw error
    return askedFor(call, isAbout(error, ['code']))
  }
}

function askedFor<T>(call: (proof: Proof) => Promise<T>, needsCode: boolean): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const end = (answer: () => void) => {
    proofRequest.value = null
    answer()
  }
  async function confirm(proof: Proof) {
    try {
      const result = await call(proof)
      end(() => resolve(result))
    } catch (error) {
      if (error instanceof BerthError && isAbout(error, ['currentPassword', 'code'])) throw error
      end(() => reject(error))
    }
  }
  const cancel = () => end(() => reject(new Error('You did not confirm it with your password. Nothing was changed.')))
  proofRequest.value = { needsCode, confirm, cancel }
  return promise
}

const isAbout = ({ issues }: BerthError, fields: string[]) => issues.some(({ path }) => fields.includes(path))
