/** Finds the actor of a request: by its bearer token or, if there is none, by the session in its cookie. */
import type { TLSSocket } from 'node:tls'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, authenticateSession } from '../../accounts/authenticate.ts'
import type { Actor } from '../../api/contract.ts'
import type { CookieSession } from '../../api/invoke.ts'
import type { App } from '../../api/services.ts'
import { type Client, clientOf } from './client.ts'
import { hostOf } from './hosts.ts'
import { checkOwnPage, isSecure, type Sender } from './own-page.ts'
import { sessionTokens, setCookie } from './session-cookie.ts'

/**
 * Finds the actor. If there is a bearer token, it alone counts. A session in a cookie counts only for requests of
 * Berth's own pages; others are refused with FORBIDDEN.
 */
export async function callerOf(app: App, request: FastifyRequest): Promise<Actor> {
  const { headers } = request
  const { address } = clientOfRequest(app, request)
  if (isBearer(request) || sessionTokens(headers.cookie, false).length === 0) {
    return authenticate(app, bearerOf(headers.authorization), address)
  }
  checkPage(app, request)
  return authenticateSession(app, sessionTokens(headers.cookie, isSecure(senderOf(app, request))), address)
}

/** Refuses with FORBIDDEN unless the request comes from a page of Berth. */
export const checkPage = (app: App, request: FastifyRequest): void =>
  checkOwnPage(app.config.hostNames, senderOf(app, request))

/** The client of a request, which a trusted proxy may have forwarded. */
export const clientOfRequest = ({ isTrustedProxy }: Pick<App, 'isTrustedProxy'>, request: FastifyRequest): Client => {
  const { headers, socket } = request
  const isEncrypted = (socket as TLSSocket).encrypted === true
  return clientOf({ peer: socket.remoteAddress ?? '', isEncrypted, headers }, isTrustedProxy)
}

/** Sets the cookie of a new session, or removes the cookie of the session that the call has ended. */
export function setSessionCookie(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  session: CookieSession | 'ended' | null,
): void {
  if (session === null || (session === 'ended' && isBearer(request))) return
  const isSecurePage = isSecure(senderOf(app, request))
  if (session === 'ended') return void reply.header('set-cookie', setCookie('', 0, isSecurePage))
  const maxAgeSeconds = Math.floor((Date.parse(session.expiresAt) - app.clock.latest().getTime()) / 1000)
  reply.header('set-cookie', setCookie(session.token, maxAgeSeconds, isSecurePage))
}

function senderOf(app: App, request: FastifyRequest): Sender {
  const { method, headers, raw } = request
  return { method, headers: { ...headers, host: hostOf(raw) }, isEncrypted: clientOfRequest(app, request).isEncrypted }
}

/** Whether the request names a bearer token. A proxy in front of Berth may ask for a password (Basic). */
const isBearer = ({ headers }: FastifyRequest) => /^\s*Bearer\b/i.test(headers.authorization ?? '')

const bearerOf = (authorization: string | undefined) => /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1]
