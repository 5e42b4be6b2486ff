/**
 * Translates DOCKER_HOST to the options of node:http requests. Every call opens its own connection. Opening a
 * connection to a Unix socket costs little, and no connection is stale after a restart of the engine.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import type { NodeConnection } from '../../node-connection.ts'

/** The request function and its options, with which node:http connects to the engine. */
export interface Dial {
  request: typeof http.request
  options: https.RequestOptions
  /** The time limit for opening the connection, with its TLS handshake. Absent: only the time limit of a call counts. */
  connectMs?: number
}

/**
 * @param dockerHost `unix:///path` or `tcp://host:port`
 * @param certPath a folder with ca.pem, cert.pem and key.pem, like DOCKER_CERT_PATH; null: without TLS
 */
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

/** A call that may take long must not wait as long for a node that was cut off. Other calls end after this time, too. */
const nodeConnectMs = 10_000

/** The options for the engine port of another node. */
export function dialNode({ host, port, ca, certificate: cert, key, serverName: servername }: NodeConnection): Dial {
  return {
    request: https.request,
    options: { host, port, ca, cert, key, servername, agent: false },
    connectMs: nodeConnectMs,
  }
}
