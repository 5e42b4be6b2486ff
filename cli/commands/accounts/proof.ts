/** The proof that Berth asks for before it gives lasting access: the present password, and a code of the second factor. */
import { BerthError } from '../../../client/client.ts'
import type { Session } from '../../connection/session.ts'
import { ask, askSecret } from '../../terminal/prompt.ts'

export interface Proof {
  currentPassword?: string
  code?: string
}

/** For the notes of a command that may ask for the proof. */
export const proofNote =
  'Asks for your password, and for a code of your second factor, if you signed in more than 10 minutes ago. ' +
  'In scripts, set BERTH_PASSWORD.'

/** Makes a call. If Berth refuses it because the proof is missing, asks the person for it and makes the call again. */
export async function withProof<T>({ env }: Session, call: (proof: Proof) => Promise<T>): Promise<T> {
  try {
    return await call({})
  } catch (error) {
    if (!(error instanceof BerthError) || error.reason !== 'ProofMissing') throw error
    return call(await askProof(env, isMissing(error, 'code')))
  }
}

const isMissing = ({ issues }: BerthError, field: string) => issues.some(({ path }) => path === field)

/** @param hasFactor whether the account has a second factor */
export async function askProof(env: NodeJS.ProcessEnv, hasFactor: boolean): Promise<Proof> {
  const currentPassword = await askSecret(env, 'BERTH_PASSWORD', 'Present password')
  return { currentPassword, ...(hasFactor ? { code: await askCode() } : {}) }
}

export const askCode = () => ask('Code of your authenticator app: ')
