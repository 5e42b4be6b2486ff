/** A token server for registries: checks names and passwords, and signs tokens. */
import { createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Tokens, Users } from './registry.ts'
import { certify } from './storage.ts'

/** `form`: refuses GET and expects an OAuth2 form. `stranger`: signs with a key that the registry does not trust. */
export type Manner = 'basic' | 'form' | 'stranger'

const [service, issuer] = ['the registry', 'the token server']

export async function startTokenServer(users: Users, manner: Manner = 'basic') {
  const folder = mkdtempSync(join(tmpdir(), 'berth-tokens-'))
  const trusted = await certify(folder, 'good')
  const signer = manner === 'stranger' ? await certify(mkdtempSync(join(folder, 'other-')), 'good') : trusted
  const key = createPrivateKey(readFileSync(signer.keyPath))
  const certificate = new X509Certificate(readFileSync(signer.certPath)).raw.toString('base64')
  /** The method and URL of each request. */
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (manner === 'form' && request.method === 'GET') return response.writeHead(405).end()
    const [name, password, scopes] = manner === 'form' ? await fromForm(request) : fromHeader(request)
    if (users[name] === undefined || users[name] !== password) return response.writeHead(401).end('{"details":"no"}')
    return response.end(JSON.stringify({ [manner === 'form' ? 'access_token' : 'token']: tokenFor(name, scopes) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tokens: Tokens = { realm: `http://127.0.0.1:${port}/token`, service, issuer, rootPath: trusted.caPath }
  return {
    tokens,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }

  /** Grants all requested rights. Only a user named "modest" does not get the right to list all repositories. */
  function tokenFor(name: string, scopes: string[]): string {
    const now = Math.floor(Date.now() / 1000)
    const access = scopes
      .map((it) => it.split(':'))
      .filter(([type]) => type !== 'registry' || name !== 'modest')
      .map(([type, resource, actions = '']) => ({ type, name: resource, actions: actions.split(',') }))
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ typ: 'JWT', alg: 'RS256', x5c: [certificate] })}.${part({
      iss: issuer,
      aud: service,
      sub: name,
      iat: now,
      nbf: now - 60,
      exp: now + 300,
      jti: randomUUID(),
      access,
    })}`
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
  }
}

type TokenRequest = [name: string, password: string, scopes: string[]]

function fromHeader({ headers, url }: IncomingMessage): TokenRequest {
  const [, encoded = ''] = (headers.authorization ?? '').split(' ')
  const plain = Buffer.from(encoded, 'base64').toString()
  const colon = plain.indexOf(':')
  return [plain.slice(0, colon), plain.slice(colon + 1), new URL(url ?? '/', 'http://it').searchParams.getAll('scope')]
}

async function fromForm(request: IncomingMessage): Promise<TokenRequest> {
  const form = new URLSearchParams(await text(request))
  const isValid = form.get('grant_type') === 'password' && form.get('service') === service
  return [isValid ? (form.get('username') ?? '') : '', form.get('password') ?? '', (form.get('scope') ?? '').split(' ')]
}
