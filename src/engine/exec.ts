/** The type of a program that runs in a container. */

/** A program with its arguments, environment and input. Secrets go into `env` or `stdin`, because `ps` shows argv. */
export interface Exec {
  /** The program and its arguments. No shell parses them, so they need no quoting. */
  argv: string[]
  env: Record<string, string>
  stdin?: string
}
