/**
 * Where Docker's API is and how it is dialled: DOCKER_HOST -> the options of node:http's requests.
 * Every call has a connection of its own: it costs little on a socket, and none is stale after the engine's restart.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'

export interface Dial {
  request: typeof http.request
  options: https.RequestOptions
}

/** `certPath` is a folder with ca.pem, cert.pem and key.pem, as DOCKER_CERT_PATH is; null: without TLS. */
export function dialOf(dockerHost: string, certPath: string | null): Dial {
  const url = new URL(dockerHost)
  if (url.protocol === 'unix:') {
    return { request: http.request, options: { socketPath: decodeURIComponent(url.pathname), agent: false } }
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const options = { host, port: Number(url.port || (certPath ? 2376 : 2375)), agent: false } as const
  if (!certPath) return { request: http.request, options }
  const pem = (name: string) => readFileSync(join(certPath, `${name}.pem`))
  return { request: https.request, options: { ...options, ca: pem('ca'), cert: pem('cert'), key: pem('key') } }
}
