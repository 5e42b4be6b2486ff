/** Masks secrets in text that other programs wrote. Pure. */

/** The text that replaces a secret. */
export const mask = '********'

/** Returns a function that masks each secret in a text: in plain form, and as URLs, JSON and SQL encode it. */
export function maskerOf(secrets: Iterable<string>): (text: string) => string {
  const pattern = patternOf(allForms(secrets))
  return (text) => text.replace(pattern, mask)
}

/** Masks secrets in a text that arrives in pieces, also a secret of which each piece has only a part. */
export interface PieceMasker {
  /** Returns the masked text up to the last characters, if they could be the begin of a secret. */
  next(piece: string): string
  /** Returns the characters that `next` kept. Later pieces are masked on their own. */
  rest(): string
}

/** Like `maskerOf`, for a text that arrives in pieces. */
export function pieceMaskerOf(secrets: Iterable<string>): PieceMasker {
  const forms = allForms(secrets)
  const pattern = patternOf(forms)
  let kept = ''
  return {
    next(piece) {
      const text = kept + piece
      const end = beginOfForm(text, forms, pattern)
      kept = text.slice(end)
      return text.slice(0, end).replace(pattern, mask)
    },
    rest() {
      const text = kept.replace(pattern, mask)
      kept = ''
      return text
    },
  }
}

/** Where the last characters begin that could be the begin of a form; the length of the text if there are none. */
function beginOfForm(text: string, forms: readonly string[], pattern: RegExp): number {
  const longest = forms[0]?.length ?? 0
  for (let from = 0; ; ) {
    pattern.lastIndex = from
    const match = pattern.exec(text)
    for (let at = Math.max(from, text.length - longest + 1); at <= (match?.index ?? text.length - 1); at++) {
      const end = text.slice(at)
      if (forms.some((form) => form.length > end.length && form.startsWith(end))) return at
    }
    if (match === null) return text.length
    from = match.index + match[0].length
  }
}

/** The forms of the secrets, longest first, because one form can be a part of another. */
function allForms(secrets: Iterable<string>): string[] {
  const forms = [...new Set([...secrets].flatMap(formsOf))].filter((form) => form !== '')
  return forms.sort((a, b) => b.length - a.length)
}

/** Matches each form; nothing if there are none. */
const patternOf = (forms: readonly string[]) =>
  new RegExp(forms.map((form) => RegExp.escape(form)).join('|') || '(?!)', 'g')

function formsOf(secret: string): string[] {
  const url = encodeURIComponent(secret.toWellFormed())
  return [
    secret,
    url,
    url.replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("'", "''"),
  ]
}
