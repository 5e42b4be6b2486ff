/** What is sent to a channel: an HTTP request or a mail, as data. */

export interface HttpRequest {
  type: 'http'
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

export interface Mail {
  type: 'mail'
  /** The mail server: smtps://HOST:PORT or smtp://HOST:PORT. */
  url: string
  login: { username: string; password: string } | null
  messageId: string
  from: string
  to: readonly string[]
  subject: string
  text: string
}

/** A request with a JSON body. */
export const jsonRequest = (url: string, content: unknown, headers: Record<string, string> = {}): HttpRequest => ({
  type: 'http',
  url,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(content),
})

/** The text for formats that read `<`, `>` and `&` as markup. */
export const escapedMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
