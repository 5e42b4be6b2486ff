/** Failures of an outgoing proxy, and their messages, which name the proxy and the setting, never its password. */
import type { OutgoingProxy, Target } from './outgoing-proxy.ts'
import { tlsFaultKind } from './tls-faults.ts'

export type ProxyFaultReason =
  /** The proxy itself cannot be reached. `code` is the error of Node. */
  | { code: 'unreachable'; errorCode: string }
  | { code: 'tls'; errorCode: string }
  | { code: 'timeout'; ms: number }
  /** The proxy demands credentials, or rejects those of the setting (HTTP 407). */
  | { code: 'credentials' }
  /** The proxy does not forward to this target. */
  | { code: 'forbidden'; status: number }
  /** The proxy could not reach the target. */
  | { code: 'target'; status: number }

/** A request failed at a proxy. The message is meant for the caller. */
export class ProxyFault extends Error {
  /** The message without the requested host, for a log. */
  readonly reason: string
  /** Whether a retry can succeed. */
  readonly isTransient: boolean

  constructor(proxy: OutgoingProxy, target: Target | null, reason: ProxyFaultReason) {
    super(messageOf(proxy, target === null ? 'the requested host' : `${target.host}:${target.port}`, reason))
    this.name = 'ProxyFault'
    this.reason = messageOf(proxy, 'the requested host', reason)
    this.isTransient = ['unreachable', 'timeout', 'target'].includes(reason.code)
  }
}

/** Converts an error of a connection to the proxy itself. */
export function proxyConnectionFault(proxy: OutgoingProxy, target: Target, error: unknown): ProxyFault {
  if (error instanceof ProxyFault) return error
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  const errorCode = String(code ?? 'unknown').slice(0, 60)
  const isTls = tlsFaultKind(errorCode, String(message)) !== null
  return new ProxyFault(proxy, target, { code: isTls ? 'tls' : 'unreachable', errorCode })
}

/** The fault for an answer with the status 407, which only a proxy gives. */
export const loginFault = (proxy: OutgoingProxy): ProxyFault => new ProxyFault(proxy, null, { code: 'credentials' })

/** Returns the fault for the status of an answer to CONNECT. */
export function tunnelFault(proxy: OutgoingProxy, target: Target, status: number): ProxyFault {
  if (status === 407) return loginFault(proxy)
  return new ProxyFault(proxy, target, { code: status >= 500 ? 'target' : 'forbidden', status })
}

function messageOf(
  { host, setting, authorization, isTls }: OutgoingProxy,
  target: string,
  reason: ProxyFaultReason,
): string {
  const proxy = `the proxy ${host} (${setting})`
  switch (reason.code) {
    case 'unreachable':
      if (reason.errorCode === 'ENOTFOUND' || reason.errorCode === 'EAI_AGAIN') {
        return `The name of ${proxy} could not be resolved. Check the setting for a typing error, and check the DNS`
      }
      return `Berth cannot connect to ${proxy}: ${reason.errorCode}. Check that the proxy runs, and its name and port`
    case 'tls':
      return (
        `The TLS handshake with ${proxy} failed: ${reason.errorCode}. Check its certificate. ` +
        `Write ${setting} with http:// if the proxy itself does not speak TLS, which is usual`
      )
    case 'timeout':
      return (
        `The proxy ${host} (${setting}) did not open a connection to ${target} within ${reason.ms / 1000} seconds. ` +
        'Check that the proxy runs, and that it may reach this host'
      )
    case 'credentials': {
      const scheme = isTls ? 'https' : 'http'
      const what = authorization === null ? 'requires a login' : 'rejected its user or password'
      return (
        `The proxy ${host} (${setting}) ${what} (HTTP 407). Write ${setting}=${scheme}://USER:PASSWORD@${host}, with ` +
        'special characters percent-encoded, and restart Berth. Berth supports the scheme Basic'
      )
    }
    case 'forbidden':
      return (
        `The proxy ${host} (${setting}) refused a connection to ${target} (HTTP ${reason.status}). Allow this host and ` +
        'port in the proxy, or name the host in NO_PROXY if Berth can reach it directly'
      )
    case 'target':
      return (
        `The proxy ${host} (${setting}) could not connect to ${target} (HTTP ${reason.status}). Check the name and the ` +
        'port of this host, and that the proxy may reach it'
      )
  }
}
