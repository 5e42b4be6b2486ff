/** A program to run in a container. */

/** Argv needs no shell quoting. Secrets go into `env` or `stdin`, because `ps` shows argv. */
export interface Exec {
  argv: string[]
  env: Record<string, string>
  stdin?: string
}
