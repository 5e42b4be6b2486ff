/** The URL at which a server on this machine answers. Pure. */

/** Whether a server with this address listens on every address of the machine. */
export const isUnspecified = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** @param host the address that the server listens on */
export function localUrl({ host, port }: { host: string; port: number }): string {
  const reachable = isUnspecified(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
