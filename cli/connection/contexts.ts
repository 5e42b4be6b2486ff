/**
 * The installations that the person has signed in to. They are in $XDG_CONFIG_HOME/berth/contexts.json, which only its
 * owner can read. Source of the folder: XDG Base Directory Specification 0.8.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError } from '../exit.ts'
import { suggestion } from '../nearest.ts'

export interface Context {
  url: string
  token: string
  /** The e-mail address of the account. */
  email: string
  /** A PEM file with the certificates of the authorities to trust besides the system's. */
  caFile?: string
}

export interface Contexts {
  /** The name of the context that commands use; null before the first sign-in. */
  current: string | null
  contexts: Record<string, Context>
  /** The device token of each URL: others who guess passwords there do not delay sign-ins from this machine. */
  devices: Record<string, string>
}

type Env = NodeJS.ProcessEnv

export const contextsPath = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'berth', 'contexts.json')

/** @throws CommandError if the file cannot be read or is damaged */
export function readContexts(env: Env): Contexts {
  const path = contextsPath(env)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { current: null, contexts: {}, devices: {} }
    throw new CommandError('usage', `${path} cannot be read: ${message}`)
  }
  try {
    const { current = null, contexts, devices = {} } = JSON.parse(text) as Contexts
    if (typeof contexts !== 'object' || contexts === null) throw new Error('it has no contexts')
    return { current, contexts, devices }
  } catch (error) {
    const hint = 'Move the file away, and sign in again: berth login URL'
    throw new CommandError('usage', `${path} is damaged: ${(error as Error).message}`, hint)
  }
}

/** Replaces the file in one step: a crash leaves the old file or the new one. */
export function writeContexts(env: Env, contexts: Contexts): void {
  const path = contextsPath(env)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fresh = `${path}.${process.pid}`
  try {
    writeFileSync(fresh, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 })
    renameSync(fresh, path)
  } finally {
    rmSync(fresh, { force: true })
  }
}

/** Where a command goes: an installation and a token. */
export interface Target extends Omit<Context, 'email'> {
  /** Whether the token is that of BERTH_TOKEN. */
  tokenSource: 'context' | 'environment'
  /** Whether the URL is that of BERTH_URL. */
  urlSource: 'context' | 'environment'
}

/**
 * The installation of this command: the option --context, or BERTH_URL with BERTH_TOKEN, or the current context.
 * BERTH_TOKEN alone replaces the token of the context.
 * @throws CommandError if there is none
 */
export function targetOf(env: Env, name: string | undefined): Target {
  const own = env.BERTH_TOKEN
  if (name === undefined && env.BERTH_URL) {
    if (!own) throw new CommandError('usage', 'BERTH_URL is set and BERTH_TOKEN is not. Set both')
    if (!URL.canParse(env.BERTH_URL)) throw new CommandError('usage', `BERTH_URL is no URL: ${env.BERTH_URL}`)
    return { url: env.BERTH_URL, token: own, tokenSource: 'environment', urlSource: 'environment' }
  }
  const known = readContexts(env)
  const chosen = name ?? known.current
  if (chosen === null) {
    const hint = 'Sign in: berth login URL, for example berth login http://127.0.0.1:3000'
    throw new CommandError('denied', 'You are not signed in', hint)
  }
  const { url, token, caFile } = contextNamed(known, chosen)
  const tokenSource = own ? 'environment' : 'context'
  return { url, token: own || token, tokenSource, urlSource: 'context', ...(caFile === undefined ? {} : { caFile }) }
}

/** @throws CommandError if there is no such context */
export function contextNamed({ contexts }: Contexts, name: string): Context {
  const context = contexts[name]
  if (context !== undefined) return context
  const names = Object.keys(contexts)
  const known = names.length === 0 ? 'You are not signed in anywhere' : `There are: ${names.join(', ')}`
  throw new CommandError('notFound', `There is no context '${name}'. ${suggestion(name, names) || known}`)
}
