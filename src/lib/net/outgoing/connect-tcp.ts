/** TCP and TLS connections to an address that an administrator has set. */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTlsOn } from 'node:tls'
import type { Egress } from '../egress.ts'

/** @throws EgressFault if connections must not go to the address, or the error of node:net */
export function connectTcp(host: string, port: number, egress: Egress, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Node resolves no literal address, so `lookup` does not check it.
    const fault = egress.faultOf(host)
    if (fault !== null) return reject(fault)
    const socket = connect({ host, port, lookup: egress.lookup, signal })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      // An error between two owners of the socket must not end the process.
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}

/** Begins TLS on a connection, and verifies the certificate. @throws the error of node:tls */
export function startTls(socket: Socket, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secured = connectTlsOn({ socket, host, ...(isIP(host) === 0 && { servername: host }) })
    secured.once('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
    secured.once('secureConnect', () => {
      secured.off('error', reject)
      secured.on('error', () => undefined)
      resolve(secured)
    })
  })
}
