/** The URL at which a server on this machine answers. Pure. */
import { isIPv4, isIPv6 } from 'node:net'
import { groupsOf } from './address.ts'

/** Whether a server with this address listens on every address of the machine. */
export const isUnspecified = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** @param host the address that the server listens on */
export function localUrl({ host, port }: { host: string; port: number }): string {
  const reachable = isUnspecified(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Whether only this machine can connect to a server that listens on this address. */
export function isLoopbackOnly(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.')
  return isIPv6(host) ? groupsOf(host).join(':') === '0:0:0:0:0:0:0:1' : host === 'localhost'
}
