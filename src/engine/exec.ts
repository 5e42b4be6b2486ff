/** The types of programs that run in a container. */
import type { Readable, Writable } from 'node:stream'

/** A program with its arguments, environment and input. Secrets go into `env` or `stdin`, because `ps` shows argv. */
export interface Exec {
  /** The program and its arguments. No shell parses them, so they need no quoting. */
  argv: string[]
  env: Record<string, string>
  stdin?: string
}

/** A program that runs in a task's container and keeps its input and output open. */
export interface OpenProgram {
  readonly stdin: Writable
  /** Standard output. Ends with the program, and if the connection to it breaks. */
  readonly stdout: Readable
  /** Ends the input, at which the program has to end by itself: the engine cannot end it. Safe to repeat. */
  close(): void
}
