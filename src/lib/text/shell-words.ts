/**
 * Splits a command line into the words that a POSIX shell would pass on. Nothing is expanded and nothing is run:
 * `$`, `*`, `#`, `|`, `;` and `>` are characters like any other. Does not know what the words are for.
 */

/** Blanks, an escaped line end, an escaped character, either quotation, plain text; the last one: what has no end. */
const tokens = /([ \t\n]+)|(\\\n)|\\([\s\S])|'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|([^ \t\n'"\\]+)|([\s\S])/g

/**
 * The words of `text`. Throws an Error, in a sentence for the caller, where a quotation has no end.
 * Source: POSIX.1-2024, Shell Command Language, sections 2.2 (Quoting) and 2.6.5 (Field Splitting).
 */
export function splitShellWords(text: string): string[] {
  if (text.includes('\0')) throw new Error('must not contain the control character NUL: remove it')
  const words: string[] = []
  let word: string | null = null
  for (const token of text.replaceAll('\r\n', '\n').matchAll(tokens)) {
    if (token[2] !== undefined) continue
    if (token[1] === undefined) word = (word ?? '') + meaning(token)
    else if (word !== null) {
      words.push(word)
      word = null
    }
  }
  return word === null ? words : [...words, word]
}

function meaning([, , , escaped, single, double, plain, open]: RegExpExecArray): string {
  if (double !== undefined) return double.replace(/\\([$`"\\\n])/g, (_, it: string) => (it === '\n' ? '' : it))
  return escaped ?? single ?? plain ?? refuse(open!)
}

function refuse(open: string): never {
  if (open === '\\') throw new Error('must not end with a backslash: write two for one, or remove it')
  const name = open === '"' ? 'double' : 'single'
  throw new Error(`has a ${name} quote (${open}) without its end: close it, or write \\${open} for the character`)
}
