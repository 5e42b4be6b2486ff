/** Why the engine port of a node does not answer as it should. */
import { EngineFailure } from './failures.ts'

/**
 * - `timeout`: the node did not answer in time, or no route leads to it
 * - `refused`: the node refused the connection: no program listens at the port, or a firewall rejects it
 * - `closed`: the node closed the connection before the TLS handshake
 * - `refusedCertificate`: the node closed the connection because of Berth's certificate, or its engine is down
 * - `untrusted`: the certificate of the server does not prove that the server is the node
 * - `otherNode`: the engine belongs to another node
 * - `failed`: the engine answered with an error
 */
export type ContactFault =
  | 'timeout'
  | 'refused'
  | 'closed'
  | 'refusedCertificate'
  | 'untrusted'
  | 'otherNode'
  | 'failed'

/** The engine port of a node does not answer as it should. The node itself may be well. */
export class NodeContactFailure extends EngineFailure {
  readonly fault: ContactFault
  /** The message of the system, of TLS or of the engine. */
  readonly detail: string

  constructor(fault: ContactFault, detail: string, options?: ErrorOptions) {
    super('nodeUnreachable', `The node's engine cannot be reached: ${detail}`, options)
    this.name = 'NodeContactFailure'
    this.fault = fault
    this.detail = detail
  }
}

/** How far a connection had come when it failed. */
export type ContactProgress = 'connecting' | 'handshake' | 'open'

const timeouts: readonly string[] = ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN']
const closes: readonly string[] = ['ECONNRESET', 'EPIPE', 'ECONNABORTED']
/** OpenSSL's codes of the alerts by which a server refuses a client's certificate. */
const alerts = /^ERR_SSL_.*ALERT/

/**
 * Classifies the error of a connection by its code.
 *
 * @param code the property `code` of the error of node:net or node:tls; '' if the error has none
 */
export function contactFaultOf(code: string, progress: ContactProgress): ContactFault {
  if (timeouts.includes(code)) return 'timeout'
  if (code === 'ECONNREFUSED') return 'refused'
  if (alerts.test(code)) return 'refusedCertificate'
  if (closes.includes(code)) return progress === 'open' ? 'refusedCertificate' : 'closed'
  return progress === 'handshake' ? 'untrusted' : 'failed'
}
