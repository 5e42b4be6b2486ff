/** Masks secrets in text that other programs wrote. Pure. */

/** The text that replaces a secret. */
export const mask = '********'

/** Returns a function that masks each secret in a text: in plain form, and as URLs, JSON and SQL encode it. */
export function maskerOf(secrets: Iterable<string>): (text: string) => string {
  const forms = [...new Set([...secrets].flatMap(formsOf))].filter((form) => form !== '')
  // Longest first: one form can be a part of another.
  forms.sort((a, b) => b.length - a.length)
  if (forms.length === 0) return (text) => text
  const any = new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'g')
  return (text) => text.replace(any, mask)
}

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
