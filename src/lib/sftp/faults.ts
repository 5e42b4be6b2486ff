/** Classifies failures of SFTP servers. A message contains no text of the server, and no secret. */
import { EgressFault } from '../net/egress.ts'
import { type FaultKind, StorageFault, type Verb } from '../storage/faults.ts'

/** The server has another host key than the pinned one, or none is pinned. Nothing secret was sent. */
export class HostKeyFault extends StorageFault {
  /** The fingerprint of the key that the server showed. */
  readonly shownKey: string

  constructor(host: string, shownKey: string, pinned: string | null) {
    super(
      'hostKey',
      pinned === null
        ? `${host} shows the host key ${shownKey}. Compare it with the key on the server (ssh-keygen -lf ` +
            '/etc/ssh/ssh_host_ed25519_key.pub), and give it as hostKey. Berth has not signed in'
        : `${host} shows the host key ${shownKey}, but the destination has ${pinned}. Berth has not signed in. If you ` +
            'have changed the key of the server, change the host key of the destination; otherwise another machine ' +
            'may pretend to be the server',
    )
    this.shownKey = shownKey
  }
}

export interface SftpContext {
  verb: Verb
  host: string
  user: string
  base: string
}

/** The fields of errors of ssh2 and of sockets that Berth reads. `code` is a status of SFTP or a name of the system. */
interface SshError {
  code?: unknown
  level?: unknown
}

/** Source: draft-ietf-secsh-filexfer-02 (version 3) and -13, sections on status codes. */
export const status = { eof: 1, noSuchFile: 2, permissionDenied: 3, failure: 4 } as const
const fullStatuses: readonly unknown[] = [14, 15]

export function sftpFaultOf(error: unknown, context: SftpContext): StorageFault {
  if (error instanceof StorageFault) return error
  if (error instanceof EgressFault) return new StorageFault('egress', error.message)
  const { code, level } = (typeof error === 'object' && error !== null ? error : {}) as SshError
  const { host, user, base, verb } = context
  const fault = (kind: FaultKind, text: string) => new StorageFault(kind, text)
  if (level === 'client-authentication') {
    return fault('login', `${host} refused the login of ${user}. Check the user and the password or private key`)
  }
  if (level === 'client-timeout') return sftpTimeout(context, connectMs)
  if (code === status.permissionDenied) {
    return fault('rights', `The user ${user} may not ${verb} in ${base} at ${host}. Grant the user that right`)
  }
  if (code === status.noSuchFile) return fault('missing', `The object does not exist at ${host}`)
  if (fullStatuses.includes(code)) return diskFull(host)
  if (typeof code === 'number') {
    return fault(
      'answer',
      `${host} could not ${verb} (SFTP status ${code}). Check its free space, its quota and its log`,
    )
  }
  return connectionFault(String(code), context)
}

export const diskFull = (host: string) =>
  new StorageFault('full', `The disk of ${host} is full. Delete files there, or keep fewer dumps`)

function connectionFault(code: string, { host, verb }: SftpContext): StorageFault {
  const fault = (kind: FaultKind, text: string) => new StorageFault(kind, text)
  switch (code) {
    case 'ENOTFOUND':
      return fault('name', `The name ${host} could not be resolved. Check it for a typing error, and check the DNS`)
    case 'EAI_AGAIN':
      return new StorageFault('name', `No DNS server answered for the name ${host}. Try again, and check the DNS`, true)
    case 'ECONNREFUSED':
      return fault('refused', `${host} refused the connection. Check the host, its port and that its SSH server runs`)
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return fault('broken', `The connection to ${host} broke when it was asked to ${verb}. Try again`)
    case 'ETIMEDOUT':
      return fault(
        'timeout',
        `${host} did not accept a connection in time. Check the host and that no firewall drops it`,
      )
  }
  if (/^E[A-Z]+$/.test(code)) return fault('unreachable', `${host} cannot be reached from this machine (${code})`)
  return fault(
    'answer',
    `${host} did not answer as an SFTP server does. Check the host, its port and that it offers SFTP`,
  )
}

/** The timeout for opening a connection, and for the handshake. */
export const connectMs = 10_000

/** @param ms how long the server did not answer */
export const sftpTimeout = ({ host, verb }: SftpContext, ms: number): StorageFault =>
  new StorageFault(
    'timeout',
    `${host} did not answer within ${ms / 1000} seconds when it was asked to ${verb}. ` +
      'Check the host, and that no firewall drops the connection',
  )
