/** Secrets taken out of text that others wrote. Pure. */

/** What stands in place of a secret. */
export const mask = '********'

/** Masks each secret wherever the text has it: as it is, or as URLs, JSON and SQL write it. */
export function maskerOf(secrets: Iterable<string>): (text: string) => string {
  const forms = [...new Set([...secrets].flatMap(formsOf))].filter((form) => form !== '')
  // One may be a part of another.
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
