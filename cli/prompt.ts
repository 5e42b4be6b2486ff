/** Asks the person at the terminal. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CommandError } from './exit.ts'

/** @throws CommandError if standard input is no terminal */
export async function ask(question: string, { isHidden = false } = {}): Promise<string> {
  if (process.stdin.isTTY !== true) {
    throw new CommandError('usage', `Standard input is no terminal, and '${question.trim()}' needs an answer`)
  }
  process.stderr.write(question)
  // The answer of a hidden question is not echoed, because the interface writes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({
    input: process.stdin,
    output: isHidden ? nowhere : process.stderr,
    terminal: true,
  })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    if (isHidden) process.stderr.write('\n')
  }
}

/**
 * Asks for the name of the record before data is destroyed.
 * @throws CommandError if another text is typed
 */
export async function confirmName(what: string, name: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed === true) return
  if (process.stdin.isTTY !== true) {
    throw new CommandError('usage', `${what} Confirm it with --yes, because standard input is no terminal`)
  }
  if ((await ask(`${what}\nType ${name} to confirm: `)).trim() !== name) {
    throw new CommandError('failed', 'Not confirmed. Nothing was changed')
  }
}
