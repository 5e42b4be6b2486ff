/** A program that is to run. */

/** Argv, environment and standard input: nothing has to be quoted, and no secret shows in `ps`. */
export interface Exec {
  argv: string[]
  env: Record<string, string>
  stdin?: string
}
