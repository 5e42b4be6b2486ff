/**
 * References to environment variables in a file of `berth apply`: `${env:NAME}` stands for the value of the variable
 * NAME, and `$${env:NAME}` for the text itself. Pure.
 */

const variable = '[A-Za-z_][A-Za-z0-9_]*'
const pattern = new RegExp(`\\$?\\$\\{env:(${variable})\\}`, 'g')

/** A text that is one reference and nothing else. */
export const wholeReference = new RegExp(`^\\$\\{env:${variable}\\}$`)

/** Stands for a random password, which Berth makes when the database is created. */
export const generate = 'generate'

const isEscaped = (match: string) => match.startsWith('$$')

export const hasReference = (text: string): boolean => [...text.matchAll(pattern)].some(([match]) => !isEscaped(match))

export const referenceTo = (name: string): string => `\${env:${name}}`

/** The text in a form that has no references. */
export const escapeReferences = (text: string): string => text.replace(pattern, (match) => `$${match}`)

/** The variables that the texts of a value refer to and that are not set or empty, each once. */
export function missingVariables(value: unknown, env: NodeJS.ProcessEnv): string[] {
  const names = new Set<string>()
  JSON.stringify(value, (_, each) => {
    if (typeof each !== 'string') return each
    for (const [match, name] of each.matchAll(pattern)) if (!isEscaped(match)) names.add(name!)
    return each
  })
  return [...names].filter((name) => !env[name])
}

export type Resolve = (text: string) => string

/** Returns a function that replaces references by values. All variables have to be set. */
export const resolverOf =
  (env: NodeJS.ProcessEnv): Resolve =>
  (text) =>
    text.replace(pattern, (match, name: string) => (isEscaped(match) ? match.slice(1) : (env[name] ?? '')))
