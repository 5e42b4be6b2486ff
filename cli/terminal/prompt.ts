/** Asks the person at the terminal. */
import { Writable } from 'node:stream'
import { CommandError } from '../exit.ts'
import { harmless } from './harmless.ts'

/**
 * @param instead what a person without a terminal does, such as `set BERTH_PASSWORD`
 * @throws CommandError if standard input is no terminal, or after Ctrl-C or Ctrl-D
 */
export async function ask(question: string, { isHidden = false, instead = '' } = {}): Promise<string> {
  if (process.stdin.isTTY !== true) {
    const name = question.trim().replace(/:$/, '')
    const hint = instead === '' ? null : `Without a terminal, ${instead}`
    throw new CommandError('usage', `'${name}' needs an answer, and standard input is no terminal`, hint)
  }
  process.stderr.write(harmless(question))
  const { createInterface } = await import('node:readline')
  // The answer of a hidden question is not echoed, because the interface writes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isHidden ? nowhere : process.stderr
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      terminal.once('line', resolve)
      terminal.once('close', () => reject(new CommandError('interrupted', '\nInterrupted. Nothing was changed.')))
    })
  } finally {
    terminal.close()
    if (isHidden) process.stderr.write('\n')
  }
}

/**
 * A secret: the value of an environment variable, or what the person types without an echo. Arguments of a program can
 * be read by all users of a machine, so that no command takes a secret as an argument.
 */
export const askSecret = async (env: NodeJS.ProcessEnv, variable: string, question: string): Promise<string> =>
  env[variable] ?? (await ask(`${question}: `, { isHidden: true, instead: `set ${variable}` }))

/** A new secret. The person types it twice. @throws CommandError if the two differ */
export async function askNewSecret(env: NodeJS.ProcessEnv, variable: string, question: string): Promise<string> {
  const secret = await askSecret(env, variable, question)
  if (env[variable] !== undefined || (await askSecret(env, variable, 'Repeat')) === secret) return secret
  throw new CommandError('usage', 'The two are not the same. Nothing was changed')
}

/**
 * Asks for the name of the record before data is destroyed.
 * @throws CommandError if another text is typed
 */
export async function confirmName(what: string, name: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed === true) return
  if (process.stdin.isTTY !== true) {
    const message = `${what} This needs a confirmation, and standard input is no terminal. Nothing was changed`
    throw new CommandError('usage', message, 'Confirm it with --yes')
  }
  const answer = (await ask(`${what}\nType ${name} to confirm: `)).trim()
  if (answer === name) return
  throw new CommandError('failed', `Not confirmed: you typed '${answer}' in place of ${name}. Nothing was changed`)
}
