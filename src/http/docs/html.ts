/** A template tag for HTML that escapes all inserted text. */

export interface Html {
  readonly html: string
}

type Part = string | number | Html | null | readonly Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: strings.reduce((done, text, i) => done + textOf(parts[i - 1] ?? null) + text) }
}

/** A description with its parts in backticks shown as code. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`

/** Marks text as HTML that is not escaped. Only for Berth's own files. */
export const raw = (text: string): Html => ({ html: text })

function textOf(part: Part): string {
  if (part === null) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return 'html' in part ? part.html : part.map(textOf).join('')
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => escapes[character]!)
}
