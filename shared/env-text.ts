/** Writes variables as lines of NAME=value. Pure. The server and the command line use this file. */

/** The text that the API stores; null without variables. Each value must be writable. */
export function envText(variables: Record<string, string>): string | null {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`)
  return lines.length === 0 ? null : lines.join('\n')
}

/** Whether the value can be written as a line. No quote can stand in a value with all three of them. */
export const isWritable = (value: string): boolean => isPlain(value) || quoteFor(value) !== undefined

const isPlain = (value: string) => /^[\w.,:/@%+=-]*$/.test(value)

/** A `"` comes last, because `\n` between two of them means a line end. */
const quoteFor = (value: string) =>
  ["'", '`', '"'].find((quote) => !value.includes(quote) && !(quote === '"' && value.includes('\\n')))

function quoted(value: string): string {
  if (isPlain(value)) return value
  const quote = quoteFor(value) ?? ''
  return `${quote}${value}${quote}`
}
