/**
 * Classifies failures of a registry and describes each in a message that says what to do. A message contains no text of
 * the server, only hosts, numbers and error codes.
 */
import { EgressFault } from '../net/egress.ts'
import type { OutgoingProxy } from '../net/outgoing-proxy.ts'
import { ProxyFault } from '../net/proxy-fault.ts'
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
  | 'proxy'

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
export function explain(error: unknown): string {
  return error instanceof RegistryFault ? error.message : 'The request to the registry failed for an unknown reason'
}

/** @param ms how long the registry did not answer */
export function timeoutFault(host: string, ms: number): RegistryFault {
  return new RegistryFault(
    'timeout',
    `${host} did not answer within ${ms / 1000} seconds. Check the address, and that no firewall drops the connection`,
  )
}

export const wrongCredentials = (host: string): RegistryFault =>
  new RegistryFault(
    'credentials',
    `${host} rejected this username and password. Check both. Many registries require an access token instead of ` +
      "the account's password",
  )

/** @param detail why the answer is not that of a registry, as a clause of the message */
export const notRegistry = (host: string, detail: string): RegistryFault =>
  new RegistryFault(
    'notRegistry',
    `${host} did not answer as a registry does: ${detail}. Check that this is the host and port of the registry itself`,
  )

/** Converts errors of node:http, node:net, node:dns and node:tls. */
export function connectionFault(error: unknown, host: string): RegistryFault {
  if (error instanceof RegistryFault) return error
  if (error instanceof EgressFault) return new RegistryFault('egress', error.message)
  if (error instanceof ProxyFault) return new RegistryFault('proxy', error.message)
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  const fault = (kind: FaultKind, text: string) => new RegistryFault(kind, text)
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return fault(
        'name',
        `The name ${host} could not be resolved. Check the address for a typing error, and check the DNS`,
      )
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
      return fault(
        'timeout',
        `${host} did not accept the connection in time. Check the address, and that no firewall drops the connection`,
      )
  }
  if (typeof code !== 'string') return fault('answer', `The request to ${host} failed for an unknown reason`)
  const tls = tlsFault(code, String(message), host)
  if (tls !== null) return fault('tls', tls)
  if (/^HPE_/.test(code)) return notRegistry(host, 'it does not speak valid HTTP')
  return fault(
    'unreachable',
    `${host} cannot be reached from this machine (${code.slice(0, 60)}). Check address and route`,
  )
}

/** Faults that a proxy can cause although the registry works. */
const maybeOfProxy: readonly FaultKind[] = ['answer', 'broken', 'notRegistry', 'timeout']

/** Adds the proxy to the message of a fault that the proxy can have caused. */
export function namingProxy(fault: RegistryFault, proxy: OutgoingProxy | null): RegistryFault {
  if (proxy === null || !maybeOfProxy.includes(fault.kind)) return fault
  const message = `${fault.message}. The request went by the proxy ${proxy.host} (${proxy.setting})`
  return new RegistryFault(fault.kind, message, fault.retryAfterSeconds)
}

/** Whether a request failed because the server does not speak TLS on this port. */
export const isPlain = (error: unknown): boolean =>
  error instanceof Error && tlsFaultKind(String((error as { code?: unknown }).code), error.message) === 'plain'

function tlsFault(code: string, message: string, host: string): string | null {
  const certificate = `The certificate of ${host}`
  switch (tlsFaultKind(code, message)) {
    case 'authority':
      return (
        `${certificate} is signed by an authority that this machine does not know. If you run the ` +
        'authority, start Berth with NODE_EXTRA_CA_CERTS=/path/to/ca.pem and store the certificate on every node as ' +
        `/etc/docker/certs.d/${host}/ca.crt. With insecure, Berth accepts any certificate of this registry`
      )
    case 'expired':
      return `${certificate} has expired. Renew it there, or check this machine's clock`
    case 'early':
      return `${certificate} is not valid yet. Check the clocks of both machines`
    case 'name':
      return `${certificate} is for another name. Use a name of the certificate as the address`
    case 'plain':
      return (
        `${host} does not speak TLS on this port. Use its https port, or write http:// before the address. ` +
        'With http, the password is sent unencrypted'
      )
    case 'other':
      return `The TLS handshake with ${host} failed (${code.slice(0, 60)}). Check its certificate and TLS versions`
    case null:
      return null
  }
}

/** Returns the fault for a status that means failure for every request (429 and 5xx), and null for other statuses. */
export function faultOfStatus(host: string, status: number, retryAfter: string | undefined): RegistryFault | null {
  if (status === 429) {
    const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : null
    const when = seconds === null ? 'later' : `in ${seconds} seconds`
    return new RegistryFault(
      'limited',
      `${host} accepts no more requests for now (HTTP 429). Try again ${when}`,
      seconds,
    )
  }
  if (status >= 500) {
    return new RegistryFault(
      'answer',
      `${host} reported an internal error (HTTP ${status}). Try again later, and check its log`,
    )
  }
  return null
}
