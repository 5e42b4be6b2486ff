/** What a command works with: the client of the chosen installation, the output and the options of all commands. */
import { readFileSync } from 'node:fs'
import { type Answer, type BerthError, type Client, createClient } from '../../client/client.ts'
import { connectionLost } from '../../client/request.ts'
import { type Target, targetOf } from './contexts.ts'
import { CommandError } from '../exit.ts'
import type { Output } from '../terminal/output.ts'
import { confirmationCodeOf, confirmationHints, confirmationMessages } from './confirmation-code.ts'
import { reportingFetch } from './reporting-fetch.ts'

/** Options that every command takes. */
export interface CommonOptions {
  context?: string
  json?: boolean
  yes?: boolean
  /** The code for a call that needs one. */
  confirmationCode?: string
}

export interface Session {
  env: NodeJS.ProcessEnv
  output: Output
  /** Aborted by Ctrl-C. */
  interrupted: AbortSignal
  /** Opens the client of the installation that the options and the environment name. */
  open(options: CommonOptions): Client
  /** Opens the client of an installation that is not a context yet. */
  connect(target: Pick<Target, 'url' | 'caFile'> & { token: string | null }, code?: string): Client
  /** Reads a page of an installation, such as /readyz. @throws BerthError if nothing answers */
  readPage(target: Pick<Target, 'url' | 'caFile'>, path: string): Promise<Answer>
  /** Reads the description of the API of the installation that the options and the environment name. */
  readDescription(options: CommonOptions): Promise<unknown>
}

export function sessionOn(env: NodeJS.ProcessEnv, output: Output, interrupted: AbortSignal): Session {
  const fetch = reportingFetch({ interrupted, remark: output.remark })
  const connect: Session['connect'] = ({ url, token, caFile }, code) => {
    if (caFile !== undefined) trust(caFile)
    const given = code ?? env.BERTH_CONFIRMATION_CODE
    return createClient({ url, token, fetch, confirmationCode: confirmationCodeOf(output, given) })
  }
  const readPage: Session['readPage'] = ({ url, caFile }, path) => {
    if (caFile !== undefined) trust(caFile)
    const address = `${url.replace(/\/*$/, '')}${path}`
    return fetch(address, { method: 'GET', headers: {}, redirect: 'manual' }).catch((error: unknown) => {
      throw connectionLost(url, error)
    })
  }
  return {
    env,
    output,
    interrupted,
    connect,
    readPage,
    open: ({ context, confirmationCode }) => connect(targetOf(env, context), confirmationCode),
    async readDescription({ context }) {
      const target = targetOf(env, context)
      const answer = await readPage(target, '/openapi.json')
      if (answer.ok) return answer.json()
      throw new CommandError('unavailable', `${target.url} answers HTTP ${answer.status}`, 'Is the URL right?')
    },
  }
}

/** Trusts the authorities of a PEM file besides the system's, for this process. */
function trust(caFile: string): void {
  // Loaded here, because few installations have an authority of their own.
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls')
  try {
    // Node uses only the first certificate of each text.
    const certificates = readFileSync(caFile, 'utf8').match(/-----BEGIN [^-]+-----[\s\S]+?-----END [^-]+-----/g)
    if (certificates === null) throw new Error('it has no certificate in PEM')
    setDefaultCACertificates([...getCACertificates('default'), ...certificates])
  } catch (error) {
    throw new CommandError('usage', `The certificates in ${caFile} cannot be used: ${(error as Error).message}`)
  }
}

/** The message of a refusal in the words of the command line. */
export function messageOf({ code, issues, message, reason }: BerthError, target: Target | null): string {
  const confirmation = confirmationMessages[reason ?? '']
  if (confirmation !== undefined) return confirmation

  // Other refusals with this code name a field, such as a wrong code of a second factor.
  if (code !== 'UNAUTHORIZED' || issues.length > 0 || target === null) return message
  return target.tokenSource === 'environment'
    ? `${target.url} does not accept the token in BERTH_TOKEN. It may have expired or been revoked`
    : `Your session at ${target.url} has ended`
}

/** What the person can do about a refusal; null if the message says everything. */
export function hintOf(error: BerthError, target: Target | null): string | null {
  const confirmation = confirmationHints[error.reason ?? '']
  if (confirmation !== undefined) return confirmation

  if (error.code === 'UNAUTHORIZED' && target !== null) {
    if (target.tokenSource === 'context') return `Sign in again: berth login ${target.url}`
    const other = target.urlSource === 'context' ? 'remove the variable to use your session' : signInHint(target.url)
    return `Set BERTH_TOKEN to a valid token, or ${other}`
  }
  if (error.code !== 'CONNECTION_LOST') return null
  if (target === null) return 'Is Berth running there?'
  const source = target.urlSource === 'environment' ? 'BERTH_URL has the URL' : 'berth context ls shows the URL'
  return `Is Berth running there? ${source}`
}

/** The variables win over each session, so that a sign-in alone would not help. */
const signInHint = (url: string) => `remove BERTH_URL and BERTH_TOKEN, and sign in: berth login ${url}`
