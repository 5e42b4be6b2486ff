/**
 * Classifies failures of a registry and describes each in a message that says what to do. A message contains no text of
 * the server, only hosts and numbers.
 */
import { EgressFault } from '../net/egress.ts'
import { tlsFaultKind } from '../net/tls-faults.ts'

export type FaultKind =
  | 'name'
  | 'refused'
  | 'unreachable'
  | 'broken'
  | 'tls'
  | 'timeout'
  | 'credentials'
  | 'rights'
  | 'limited'
  | 'redirected'
  | 'notRegistry'
  | 'unlisted'
  | 'answer'
  | 'egress'

/** A request to a registry failed. */
export class RegistryFault extends Error {
  readonly kind: FaultKind
  /** The number of seconds after which the registry accepts requests again, if it says so. */
  readonly retryAfterSeconds: number | null

  /** @param message for the caller, without a secret */
  constructor(kind: FaultKind, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.name = 'RegistryFault'
    this.kind = kind
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Returns a message for the caller that says what failed and what to do, without a secret. */
export const explain = (error: unknown): string =>
  error instanceof RegistryFault ? error.message : 'The registry could not be used, for a reason that is not known'

/** @param ms how long the registry did not answer */
export const timeoutFault = (host: string, ms: number): RegistryFault =>
  new RegistryFault(
    'timeout',
    `${host} did not answer within ${ms / 1000} seconds. Check the address, and that no firewall drops the connection`,
  )

export const wrongCredentials = (host: string): RegistryFault =>
  new RegistryFault(
    'credentials',
    `${host} does not take this username with this password. Check both; many registries want an access token in place ` +
      "of the account's password",
  )

/** @param how in what way the answer is not that of a registry, as a clause of the message */
export const notRegistry = (host: string, how: string): RegistryFault =>
  new RegistryFault(
    'notRegistry',
    `${host} did not answer as a registry does: ${how}. Check that this is the host and port of the registry itself`,
  )

/** Converts errors of node:http, node:net, node:dns and node:tls. */
export function connectionFault(error: unknown, host: string): RegistryFault {
  if (error instanceof RegistryFault) return error
  if (error instanceof EgressFault) return new RegistryFault('egress', error.message)
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  const fault = (kind: FaultKind, text: string) => new RegistryFault(kind, text)
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return fault('name', `The name ${host} could not be resolved. Check the address for a slip, and the DNS`)
    case 'EAI_AGAIN':
      return fault('name', `No DNS server answered for the name ${host}. Try again, and check the DNS`)
    case 'ECONNREFUSED':
      return fault('refused', `${host} refused the connection. Check its port, and that the registry runs`)
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return fault(
        'broken',
        `The connection to ${host} broke. Try again, and check that the address has the right ` +
          'scheme (https:// or http://) and port',
      )
    case 'ETIMEDOUT':
      return fault('timeout', `${host} took up no connection. Check the address, and that no firewall drops it`)
  }
  if (typeof code !== 'string') return fault('answer', `${host} could not be asked, for a reason that is not known`)
  const tls = tlsFault(code, String(message), host)
  if (tls !== null) return fault('tls', tls)
  if (/^HPE_/.test(code)) return notRegistry(host, 'it does not speak HTTP as it should')
  return fault(
    'unreachable',
    `${host} cannot be reached from this machine (${code.slice(0, 60)}). Check address and route`,
  )
}

/** Whether a request failed because the server does not speak TLS on this port. */
export const isPlain = (error: unknown): boolean =>
  error instanceof Error && tlsFaultKind(String((error as { code?: unknown }).code), error.message) === 'plain'

function tlsFault(code: string, message: string, host: string): string | null {
  const certificate = `The certificate of ${host}`
  switch (tlsFaultKind(code, message)) {
    case 'authority':
      return (
        `${certificate} is signed by an authority that this machine does not know. If it is your own, give its ` +
        'certificate to Berth (NODE_EXTRA_CA_CERTS=/path/to/it.pem at its start) and to Docker on every node (as ' +
        `/etc/docker/certs.d/${host}/ca.crt). With insecure any certificate of it is taken`
      )
    case 'expired':
      return `${certificate} has expired. Renew it there, or check this machine's clock`
    case 'early':
      return `${certificate} is not valid yet. Check the clocks of both machines`
    case 'name':
      return `${certificate} is for another name. Write the address as the certificate has it`
    case 'plain':
      return (
        `${host} does not speak TLS on this port. Take its port for https, or write http:// before it, which ` +
        'sends the password unprotected'
      )
    case 'other':
      return `No TLS connection to ${host} came about (${code.slice(0, 60)}). Check its certificate and versions of TLS`
    case null:
      return null
  }
}

/** Returns the fault for a status that means failure for every request (429 and 5xx), and null for other statuses. */
export function faultOfStatus(host: string, status: number, retryAfter: string | undefined): RegistryFault | null {
  if (status === 429) {
    const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : null
    const when = seconds === null ? 'later' : `in ${seconds} seconds`
    return new RegistryFault('limited', `${host} takes no more requests for now (HTTP 429). Try again ${when}`, seconds)
  }
  if (status >= 500) {
    return new RegistryFault(
      'answer',
      `${host} has a fault of its own (HTTP ${status}). Try again later, and look at its log`,
    )
  }
  return null
}
