/** Checks lines of NAME=value while a person types them. Berth checks them again, by its own complete rules. Pure. */

export interface EnvCheck {
  /** The names of the variables. */
  names: string[]
  /** The first fault, such as "line 3: ..."; null if there is none. */
  fault: string | null
}

const namePattern = /^(?:export +)?([A-Za-z_][A-Za-z0-9_.-]*)$/

export function checkEnv(text: string): EnvCheck {
  const names: string[] = []
  let fault: string | null = null
  /** The quote of a value that goes on in the next line. */
  let open: string | null = null
  for (const [at, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (open !== null) {
      if (line.includes(open)) open = null
      continue
    }
    if (line.trim() === '' || line.trim().startsWith('#')) continue
    const found = nameIn(line)
    if ('fault' in found) fault ??= `line ${at + 1}: ${found.fault}`
    else {
      if (names.includes(found.name)) fault ??= `line ${at + 1}: ${found.name} is set twice: keep one of them`
      names.push(found.name)
      open = openQuote(line.slice(line.indexOf('=') + 1).trim())
    }
  }
  return { names, fault: fault ?? (open === null ? null : `a quote ${open} has no end: close it`) }
}

function nameIn(line: string): { name: string } | { fault: string } {
  const equals = line.indexOf('=')
  if (equals === -1) return { fault: 'has no =: write NAME=value, or begin a comment with #' }
  const name = namePattern.exec(line.slice(0, equals).trim())?.[1]
  return name === undefined
    ? { fault: 'the name before = must be letters, digits, _, . and -, and not begin with a digit' }
    : { name }
}

function openQuote(value: string): string | null {
  const quote = /^["'`]/.exec(value)?.[0]
  return quote === undefined || value.indexOf(quote, 1) > 0 ? null : quote
}
