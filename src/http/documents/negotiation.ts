/** What a client accepts: encodings and types of an answer. Source: RFC 9110 section 12. */

export type Coding = 'br' | 'gzip'

/** The best one first. */
const codings: readonly Coding[] = ['br', 'gzip']

/** The coding that the client prefers of those that Berth has; null: send the text as it is. */
export function codingOf(acceptEncoding: string | undefined): Coding | null {
  const weights = weightsOf(acceptEncoding)
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = codings.toSorted((a, b) => weightOf(b) - weightOf(a))[0]!
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null
}

/** Whether the client names HTML, as browsers do to open a page. Programs accept any type, or name a type of data. */
export const acceptsHtml = (accept: string | undefined): boolean => (weightsOf(accept).get('text/html') ?? 0) > 0

/** The names in lower case, each with its weight from 0 to 1. A malformed weight counts as 0. */
function weightsOf(header = ''): Map<string, number> {
  return new Map(
    header.split(',').map((element) => {
      const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
      return [name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0]
    }),
  )
}
