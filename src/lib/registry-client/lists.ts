/** Reads lists of a registry, page by page. */
import { faultOfStatus, notRegistry, RegistryFault } from './faults.ts'
import { type Answer, canReceiveCredentials } from './connection.ts'
import { parsed } from './login.ts'

/** `isWhole` is false if the registry may have more names. */
export interface Listed {
  names: string[]
  isWhole: boolean
}

const maxPages = 100

/**
 * Reads a list page by page, and returns the names in its field `key`. Source: Distribution's API, Pagination.
 * @param maxCount the maximum number of names
 */
export async function collect(
  get: (url: URL) => Promise<Answer>,
  first: URL,
  key: 'repositories' | 'tags',
  maxCount: number,
): Promise<Listed> {
  const names: string[] = []
  let next: URL | null = first
  for (let pages = 0; next !== null && pages < maxPages && names.length < maxCount; pages++) {
    const answer = await get(next)
    names.push(...namesOf(answer, key))
    next = nextOf(answer)
  }
  return { names: names.slice(0, maxCount), isWhole: next === null && names.length <= maxCount }
}

function namesOf({ status, headers, url: { host }, body }: Answer, key: 'repositories' | 'tags'): string[] {
  if (status === 404 && key === 'tags') return []
  const fault = faultOfStatus(host, status, headers['retry-after'])
  if (fault !== null) throw fault
  if (status === 401 || status === 403) {
    throw new RegistryFault(
      'rights',
      `${host} does not let this account list its ${key} (HTTP ${status}). Grant the ` +
        'account that right, if the registry has such a right',
    )
  }
  if (status !== 200) throw new RegistryFault('unlisted', `${host} does not list its ${key} (HTTP ${status})`)
  // Distribution returns null if all tags were deleted.
  const names = parsed(body)[key] ?? []
  if (Array.isArray(names) && names.every((it) => typeof it === 'string')) return names
  throw notRegistry(host, `its list of ${key} is invalid`)
}

/** Returns the URL of the next page from the Link header, or null on the last page. Source: RFC 8288. */
function nextOf({ headers, url }: Answer): URL | null {
  const link = /<([^>]*)>\s*;[^,]*\brel="?next\b/.exec(String(headers.link ?? ''))?.[1]
  if (link === undefined) return null
  const next = URL.parse(link, url)
  if (next !== null && canReceiveCredentials(url, next)) return next
  throw new RegistryFault('redirected', `${url.host} continues its list at another host`)
}
