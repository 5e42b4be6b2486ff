/** Logs in to a registry with Basic authentication or with a token of its token server. */
import { type Challenge, parseChallenges } from './challenge.ts'
import { faultOfStatus, isPlain, notRegistry, RegistryFault, wrongCredentials } from './faults.ts'
import type { Answer, Connection } from './connection.ts'

export interface Credentials {
  username: string
  password: string
}

/** Returns why a username cannot be sent, or null if it can. Source: RFC 7617, 2: no control characters, no colon. */
export const usernameFault = (text: string): string | null =>
  /^[^:\u0000-\u001f\u007f]+$/.test(text) ? null : 'must not be empty, nor contain a colon or control characters'

/**
 * Returns why a password cannot be sent, or null if it can. Source: RFC 7617, 2: no control characters. Lines and tabs are
 * accepted nevertheless: Google's registry takes a whole JSON file as the password of `_json_key`.
 */
export const passwordFault = (text: string): string | null =>
  /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]+$/.test(text) && text.trim() !== ''
    ? null
    : 'must not be empty, nor contain control characters other than tabs and ends of lines'

/** Returns the Authorization header for Basic authentication. */
export const basic = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/**
 * Returns the answer (200 or 401) to a request without credentials. Tries the next origin if one does not speak TLS.
 * @throws RegistryFault
 */
export async function findRegistry(
  connection: Connection,
  origins: readonly string[],
  signal: AbortSignal,
): Promise<Answer> {
  const [origin, ...others] = origins
  const url = new URL('/v2/', origin)
  const answer = await connection.ask(url, signal).catch((error: unknown) => {
    if (others.length === 0 || !isPlain(error)) throw error
    return findRegistry(connection, others, signal)
  })
  if (answer.status !== 401) checkRegistry(answer)
  return answer
}

/** @throws RegistryFault unless the answer comes from a registry and grants access */
export function checkRegistry({ status, headers, url: { host }, body }: Answer): void {
  const fault = faultOfStatus(host, status, headers['retry-after'])
  if (fault !== null) throw fault
  const isRegistry = /^registry\/2/.test(String(headers['docker-distribution-api-version'] ?? ''))
  if (status === 200 && (isRegistry || /^\s*\{\s*\}\s*$/.test(body))) return
  if (status === 403 && isRegistry) {
    throw new RegistryFault(
      'rights',
      `${host} refuses requests from this machine (HTTP 403). Allow this machine at the registry`,
    )
  }
  throw notRegistry(
    host,
    /^\s*</.test(body)
      ? `it answered with a web page (HTTP ${status})`
      : `it answered HTTP ${status} with other content`,
  )
}

/**
 * Returns the Authorization header that the registry asks for in a 401 answer. Does not check credentials for Basic.
 * @throws RegistryFault if the token server issues no token, or the registry supports neither Basic nor Bearer
 */
export async function authorize(
  connection: Connection,
  refusal: Answer,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<string> {
  const challenges = parseChallenges(String(refusal.headers['www-authenticate'] ?? ''))
  const challengeOf = (scheme: string) => challenges.find((it) => it.scheme === scheme)
  const bearer = challengeOf('bearer')
  if (bearer !== undefined) return `Bearer ${await fetchToken(connection, refusal.url, bearer, credentials, signal)}`
  if (challengeOf('basic') !== undefined) return basic(credentials)
  const { host } = refusal.url
  const [other] = challenges
  throw notRegistry(
    host,
    other === undefined
      ? 'it requires a login and does not say how to log in'
      : 'it supports neither Basic nor Bearer authentication',
  )
}

/** Source: Distribution's token specification. Uses its OAuth2 variant, a POST, if GET is not supported. */
async function fetchToken(
  connection: Connection,
  registry: URL,
  { parameters }: Challenge,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<string> {
  const realm = realmOf(parameters.realm, registry)
  const { username, password } = credentials
  const service = parameters.service ?? ''
  const scopes = (parameters.scope ?? '').split(' ').filter((it) => it !== '')
  const url = new URL(realm)
  if (service !== '') url.searchParams.set('service', service)
  for (const scope of scopes) url.searchParams.append('scope', scope)
  url.searchParams.set('account', username)
  let answer = await connection.ask(url, signal, { authorization: basic(credentials) })
  if (answer.status === 404 || answer.status === 405) {
    const form = new URLSearchParams({
      grant_type: 'password',
      client_id: 'berth',
      service,
      username,
      password,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    })
    answer = await connection.ask(realm, signal, { form })
  }
  return tokenOf(answer, realm, registry)
}

function realmOf(realm: string | undefined, registry: URL): URL {
  const url = URL.parse(realm ?? '')
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw notRegistry(registry.host, 'it requires a token and names no token server')
  }
  if (registry.protocol === 'https:' && url.protocol === 'http:') {
    throw new RegistryFault(
      'tls',
      `${registry.host} wants the password to be sent to ${url.host} unencrypted, by http. Set up ` +
        'its token server with https',
    )
  }
  url.username = url.password = url.hash = ''
  return url
}

function tokenOf(answer: Answer, realm: URL, registry: URL): string {
  const { status, headers, body } = answer
  const fields = parsed(body)
  if (status === 401 || status === 403 || (status === 400 && fields.error === 'invalid_grant')) {
    throw wrongCredentials(registry.host)
  }
  const fault = faultOfStatus(realm.host, status, headers['retry-after'])
  if (fault !== null) throw fault
  const token = fields.token ?? fields.access_token
  if (status === 200 && typeof token === 'string' && /^[!-~]{1,32768}$/.test(token)) return token
  throw new RegistryFault(
    'answer',
    `${realm.host}, the token server of ${registry.host}, issued no token ` +
      `(HTTP ${status}). Check the registry's setting for its token server`,
  )
}

/** Returns a parsed JSON object or array, and an empty object for any other text. */
export function parsed(body: string): Record<string, unknown> {
  try {
    const value = JSON.parse(body) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
