/**
 * One connection to an SFTP server. It signs in only after the server has shown the pinned host key. Uses ssh2, which is
 * loaded with the first connection.
 */
import type { Socket } from 'node:net'
import type { Client, ClientErrorExtensions, ConnectConfig, SFTPWrapper } from 'ssh2'
import type { Egress } from '../net/egress.ts'
import { StorageFault } from '../storage/faults.ts'
import { addressText, fingerprintOf, isPrivateKey, type SftpAddress } from './address.ts'
import { connectMs, HostKeyFault } from './faults.ts'

export interface SftpSettings extends SftpAddress {
  user: string
  /** A password, or a private key without a passphrase in the format of OpenSSH or PEM. */
  secret: string
  /** The fingerprint of the host key; null: Berth only finds out which key the server has. */
  hostKey: string | null
  /** The absolute path of the folder with all objects. */
  folder: string
}

/** A call of ssh2 that ends with a callback. */
type Call<T> = (done: (error: Error | null | undefined, value: T) => void) => void

export interface Session {
  sftp: SFTPWrapper
  /** Whether the connection can still be used. */
  isOpen(): boolean
  /** Makes a call. It fails if the connection ends before its answer. */
  call<T>(start: Call<T>): Promise<T>
  /** Called at each answer of the server, with which timeouts begin again. */
  onAnswer: (() => void) | null
  /** Ends the connection after what was sent. */
  close(): void
  /** Ends the connection at once. Calls that wait for an answer fail. */
  abort(): void
}

/** Without it, a router may forget a connection while Berth waits for the tool of a dump. */
const keepAliveMs = 30_000
/** The ciphers that Node has itself come first: ssh2 computes the last one in WebAssembly. */
const ciphers = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes256-ctr',
  'chacha20-poly1305@openssh.com',
] as const
/** How long the end of a connection waits for what was sent. */
const closeMs = 5000

/** @throws an error for `sftpFaultOf` */
export async function openSession(settings: SftpSettings, egress: Egress, signal: AbortSignal): Promise<Session> {
  // The bundle has only the default export of a CommonJS package.
  const { default: ssh2 } = await import('ssh2')
  signal.throwIfAborted()
  const socket = egress.connect(settings)
  const client = new ssh2.Client()
  const [fail, failure] = failureOf(client, socket)
  const onAbort = () => fail(connectionEnded())
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const config = configOf(settings, socket, (shownKey) => {
      if (shownKey === settings.hostKey) return true
      fail(new HostKeyFault(addressText(settings), shownKey, settings.hostKey))
      return false
    })
    client.on('keyboard-interactive', (_name, _about, _language, prompts, answer) =>
      answer(prompts.map(() => settings.secret)),
    )
    await Promise.race([connectedTo(socket), failure])
    const ready = new Promise((resolve) => client.once('ready', () => resolve(null)))
    connect(client, config)
    await Promise.race([ready, failure])
    const sftp = await Promise.race([promiseOf<SFTPWrapper>((done) => client.sftp(done)), failure])
    return sessionOf(client, sftp, socket, failure, fail)
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** ssh2 parses the private key when it connects. */
function connect(client: Client, config: ConnectConfig): void {
  try {
    client.connect(config)
  } catch {
    throw new StorageFault(
      'secretAccessKey',
      'The private key cannot be read, or it has a passphrase. Give another one',
    )
  }
}

function connectedTo(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('No connection in time'), { code: 'ETIMEDOUT' }))
  }, connectMs)
  socket.once('close', () => clearTimeout(timer))
  socket.once('connect', () => {
    clearTimeout(timer)
    resolve()
  })
  return promise
}

function configOf(settings: SftpSettings, sock: Socket, isAccepted: (fingerprint: string) => boolean): ConnectConfig {
  const { user: username, secret } = settings
  return {
    sock,
    username,
    ...(isPrivateKey(secret) ? { privateKey: secret } : { password: secret, tryKeyboard: true }),
    hostVerifier: (key: Buffer) => isAccepted(fingerprintOf(key)),
    readyTimeout: connectMs,
    algorithms: { cipher: [...ciphers] },
    keepaliveInterval: keepAliveMs,
  }
}

/** Returns a function that sets the first failure of the connection, and a promise that is rejected with it. */
type Fail = (error: Error) => void

function failureOf(client: Client, socket: Socket): [fail: Fail, failure: Promise<never>] {
  const { promise: failure, reject } = Promise.withResolvers<never>()
  failure.catch(() => undefined)
  const fail = (error: Error) => {
    reject(error)
    socket.destroy()
  }
  client.on('error', (error: Error & ClientErrorExtensions) => fail(error))
  socket.on('error', fail)
  socket.once('close', () => fail(connectionEnded()))
  return [fail, failure]
}

const connectionEnded = () => Object.assign(new Error('The connection ended'), { code: 'ECONNRESET' })

const promiseOf = <T>(start: Call<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(error)
      else resolve(value)
    })
  })

function sessionOf(client: Client, sftp: SFTPWrapper, socket: Socket, failure: Promise<never>, fail: Fail): Session {
  let isOpen = true
  /** Rejects the calls that wait for an answer. A race of each call with `failure` would grow without limit. */
  const waiting = new Set<(error: Error) => void>()
  failure.catch((error: Error) => {
    isOpen = false
    for (const reject of waiting) reject(error)
  })
  sftp.once('close', () => fail(connectionEnded()))
  sftp.on('error', fail)
  const session: Session = {
    sftp,
    onAnswer: null,
    isOpen: () => isOpen,
    async call<T>(start: Call<T>) {
      if (!isOpen) throw connectionEnded()
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      waiting.add(reject)
      promiseOf(start).then(resolve, reject)
      try {
        const value = await promise
        session.onAnswer?.()
        return value
      } catch (error) {
        throw hasStatus(error) || !isOpen ? error : connectionEnded()
      } finally {
        waiting.delete(reject)
      }
    },
    close() {
      isOpen = false
      client.end()
      socket.setTimeout(closeMs, () => socket.destroy())
      socket.destroySoon()
    },
    abort: () => fail(connectionEnded()),
  }
  return session
}

/** Whether the error is an answer of the server. */
const hasStatus = (error: unknown): boolean => typeof (error as { code?: unknown }).code === 'number'
