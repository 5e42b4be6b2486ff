/** Writes commands for a POSIX shell. Pure. The server, the command line and the console all use this file. */

/** Quotes a text as one word. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The text as one word, with quotes only if it needs them. zsh replaces a word that begins with an equals sign. */
export const shellWord = (text: string): string => (/^[\w./:@%+,-][\w./:@%+=,-]*$/.test(text) ? text : quotedWord(text))

/**
 * Writes a command line: shellLine`berth rm ${name}${['--delete-data']}`. A text becomes one word. A list becomes its
 * words, each after a space. A text that begins with a dash follows its option with an equals sign; any other such text,
 * and with it all operands, follow `--` at the end of the line.
 */
export function shellLine(texts: TemplateStringsArray, ...values: (string | number | readonly string[])[]): string {
  const isOperand = (i: number) => !Array.isArray(values[i]) && !/--[\w-]+ $/.test(texts[i]!)
  const hasDash = (i: number) => String(values[i]).startsWith('-')
  const movesOperands = values.some((_, i) => isOperand(i) && hasDash(i))
  const operands: string[] = []
  const words = values.map((value, i) => {
    const text = texts[i]!
    if (typeof value === 'object') return [text, ...value.map((word) => ` ${shellWord(word)}`)].join('')
    const word = shellWord(String(value))
    if (!isOperand(i)) return hasDash(i) ? `${text.slice(0, -1)}=${word}` : `${text}${word}`
    if (!movesOperands) return `${text}${word}`
    operands.push(word)
    return text.trimEnd()
  })
  return [`${words.join('')}${texts.at(-1)}`, ...(movesOperands ? ['--', ...operands] : [])].join(' ')
}
