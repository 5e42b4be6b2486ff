/** Writes texts for a shell. Pure. */

/** Quotes a text as one shell word. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The text as one shell word, with quotes only if it needs them. For commands in hints. */
export const shellWord = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : quotedWord(text))
