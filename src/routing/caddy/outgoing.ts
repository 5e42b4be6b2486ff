/**
 * The environment by which a process of the proxy finds the outgoing proxies. Only `keys` gets it, for the ACME directory:
 * Caddy takes these variables for requests to applications, too, which must go directly. Requests to sockets do not go by
 * a proxy.
 */
import { createHash } from 'node:crypto'
import type { ProxySettings } from '../../lib/net/outgoing-proxy.ts'
import type { ProcessName } from './launch.ts'

const isProxyVariable = (name: string): boolean => /^(?:https?|all|no)_proxy$/i.test(name)

/** The variables of one process for the outgoing proxies. */
export function outgoingVariables(
  processName: ProcessName,
  { httpProxy, httpsProxy, direct }: ProxySettings,
): Record<string, string> {
  if (processName !== 'keys' || (httpProxy ?? httpsProxy) === null) return {}
  return {
    ...(httpProxy !== null && { HTTP_PROXY: httpProxy.href }),
    ...(httpsProxy !== null && { HTTPS_PROXY: httpsProxy.href }),
    NO_PROXY: direct.join(','),
  }
}

/** Returns the variables of an environment that name outgoing proxies. */
export const outgoingIn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isProxyVariable(name)))

/** Returns an environment without the variables that name outgoing proxies. */
export const withoutOutgoing = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isProxyVariable(name)))

/**
 * The file from which launch.sh reads the variables of `keys`, one value in each line. A variable of the service would show
 * the password of an outgoing proxy to everybody who may read the service.
 */
export const outgoingFile = (folder: string): string => `${folder}/outgoing`

/** The content of that file. Null: no outgoing proxy is set. Caddy takes an empty variable for one that is not set. */
export function outgoingContent(settings: ProxySettings): string | null {
  const { HTTP_PROXY = '', HTTPS_PROXY = '', NO_PROXY } = outgoingVariables('keys', settings)
  return NO_PROXY === undefined ? null : `${HTTP_PROXY}\n${HTTPS_PROXY}\n${NO_PROXY}\n`
}

/** A text that changes with the content, so that the service restarts. */
export const outgoingDigest = (content: string): string => createHash('sha256').update(content).digest('hex')
