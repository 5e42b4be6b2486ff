/** The terminal of the person as the terminal of a program elsewhere: every key is passed on, also Ctrl-C. */
import { CommandError, systemErrorText } from '../exit.ts'
import type { SessionConnection } from './connection.ts'
import { onExit } from './on-exit.ts'

/** Whether a program can run in the terminal of the person. */
export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** The size of the terminal. A terminal without a size has that of a DEC VT100. */
export const terminalSize = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 })

/**
 * Connects the terminal until the program ends. Restores the terminal in every case, also if a signal ends the process.
 * @returns the exit code of the program
 */
export async function useTerminal(connection: SessionConnection): Promise<number> {
  const { stdin, stdout } = process
  const restore = () => void stdin.setRawMode(false)
  const type = (bytes: Buffer) => {
    stdin.pause()
    void connection.send(bytes).finally(() => stdin.resume())
  }
  const resize = () => {
    const { columns, rows } = terminalSize()
    connection.resize(columns, rows)
  }
  const cancelRestore = onExit(restore)
  stdin.setRawMode(true)
  stdin.on('data', type)
  stdout.on('resize', resize)
  try {
    // The size may have changed since the session was opened.
    resize()
    return await connection.ended
  } finally {
    stdin.off('data', type).pause()
    stdout.off('resize', resize)
    restore()
    cancelRestore()
  }
}

/**
 * Passes standard input on until its end, with backpressure.
 * @returns the exit code of the program
 * @throws CommandError if standard input cannot be read
 */
export async function useInput(connection: SessionConnection): Promise<number> {
  const pass = async () => {
    for await (const piece of process.stdin) await connection.send(piece as Buffer)
    connection.endInput()
  }
  const unreadable = pass().then(
    () => connection.ended,
    (error: Error) => {
      throw new CommandError('failed', `Standard input cannot be read: ${systemErrorText(error)}`)
    },
  )
  try {
    return await Promise.race([connection.ended, unreadable])
  } finally {
    connection.close()
    process.stdin.destroy()
  }
}

/** Writes to a stream. Resolves when the stream can take more. */
export const written = (stream: NodeJS.WritableStream, bytes: Buffer | string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error == null ? resolve() : reject(error)))
  })
