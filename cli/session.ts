/** What a command works with: the client of the chosen installation, the output and the options of all commands. */
import { readFileSync } from 'node:fs'
import { type BerthError, type Client, createClient, type Fetch } from '../client/client.ts'
import { type Target, targetOf } from './contexts.ts'
import { CommandError } from './exit.ts'
import { fetchByHttp } from './http.ts'
import type { Output } from './output.ts'

/** Options that every command takes. */
export interface CommonOptions {
  context?: string
  json?: boolean
  yes?: boolean
}

export interface Session {
  env: NodeJS.ProcessEnv
  output: Output
  /** Aborted by Ctrl-C. */
  interrupted: AbortSignal
  /** Opens the client of the installation that the options and the environment name. */
  open(options: CommonOptions): Client
}

/** A server that does not answer is reported after this time, in milliseconds. The command goes on waiting. */
const silenceMs = 4000

export function sessionOn(env: NodeJS.ProcessEnv, output: Output, interrupted: AbortSignal): Session {
  return { env, output, interrupted, open: ({ context }) => clientOf(targetOf(env, context), output) }
}

export function clientOf(
  { url, token, caFile }: Pick<Target, 'url' | 'caFile'> & { token: string | null },
  output: Output,
): Client {
  if (caFile !== undefined) trust(caFile)
  return createClient({ url, token, fetch: reportingSilence(url, output) })
}

/** Trusts the authorities of a PEM file besides the system's, for this process. */
function trust(caFile: string): void {
  // Loaded here, because few installations have an authority of their own.
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls')
  try {
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(caFile, 'utf8')])
  } catch (error) {
    throw new CommandError('usage', `The certificates in ${caFile} cannot be used: ${(error as Error).message}`)
  }
}

/** A `fetch` that tells when the server does not answer. A call that waits for work is expected to take long. */
function reportingSilence(url: string, output: Output): Fetch {
  return async (input, init) => {
    const timer = Object.hasOwn(init.headers, 'prefer')
      ? undefined
      : setTimeout(() => output.note(`${url} does not answer yet. Ctrl-C ends the wait`), silenceMs)
    return fetchByHttp(input, init).finally(() => clearTimeout(timer))
  }
}

/** What the person can do about a refusal; null if the message says everything. */
export function hintOf(error: BerthError, target: Pick<Target, 'url' | 'context'> | null): string | null {
  if (error.code === 'UNAUTHORIZED' && target !== null) return `Sign in again: berth login ${target.url}`
  if (error.code === 'CONNECTION_LOST') return 'Is Berth running there? berth context shows the URL'
  return null
}
