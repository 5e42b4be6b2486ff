/**
 * Splits a command line into words as a POSIX shell does, but reads CR LF as a line feed. Nothing is expanded and
 * nothing is run: `$`, `*`, `#`, `|`, `;` and `>` have no special meaning.
 */

/**
 * White space, an escaped line feed, an escaped character, single and double quotes, plain text, and an unclosed quote
 * or a backslash at the end.
 */
const tokens = /([ \t\n]+)|(\\\n)|\\([\s\S])|'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|([^ \t\n'"\\]+)|([\s\S])/g

/**
 * Returns the words of `text`. Source: POSIX.1-2024, Shell Command Language, sections 2.2 (Quoting) and 2.6.5 (Field
 * Splitting).
 * @throws Error with a message for the caller if a quote is not closed, or the text contains NUL or ends with a
 * backslash
 */
export function splitShellWords(text: string): string[] {
  if (text.includes('\0')) throw new Error('must not contain the control character NUL: remove it')
  const words: string[] = []
  let word: string | null = null
  for (const token of text.replaceAll('\r\n', '\n').matchAll(tokens)) {
    if (token[2] !== undefined) continue
    if (token[1] === undefined) word = (word ?? '') + unquoted(token)
    else if (word !== null) {
      words.push(word)
      word = null
    }
  }
  return word === null ? words : [...words, word]
}

function unquoted([, , , escaped, single, double, plain, unclosed]: RegExpExecArray): string {
  if (double !== undefined) return double.replace(/\\([$`"\\\n])/g, (_, it: string) => (it === '\n' ? '' : it))
  return escaped ?? single ?? plain ?? refuse(unclosed!)
}

function refuse(unclosed: string): never {
  if (unclosed === '\\')
    throw new Error('must not end with a backslash: write \\\\ for a literal backslash, or remove it')
  const name = unclosed === '"' ? 'double' : 'single'
  throw new Error(`has an unclosed ${name} quote (${unclosed}): close it, or write \\${unclosed} for a literal quote`)
}
