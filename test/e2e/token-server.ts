/** A token server as registries send their callers to: knows names and passwords, and signs what it gives. */
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

/** `form`: takes no GET, but a form of OAuth2. `stranger`: signs with a key that the registry does not know. */
export type Manner = 'basic' | 'form' | 'stranger'

const [service, issuer] = ['the registry', 'the token server']

export async function startTokenServer(users: Users, manner: Manner = 'basic') {
  const folder = mkdtempSync(join(tmpdir(), 'berth-tokens-'))
  const known = await certify(folder, 'good')
  const strange = manner === 'stranger' ? await certify(mkdtempSync(join(folder, 'other-')), 'good') : known
  const key = createPrivateKey(readFileSync(strange.keyPath))
  const certificate = new X509Certificate(readFileSync(strange.certPath)).raw.toString('base64')
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (manner === 'form' && request.method === 'GET') return response.writeHead(405).end()
    const [name, word, scopes] = manner === 'form' ? await fromForm(request) : fromHeader(request)
    if (users[name] === undefined || users[name] !== word) return response.writeHead(401).end('{"details":"no"}')
    return response.end(JSON.stringify({ [manner === 'form' ? 'access_token' : 'token']: tokenFor(name, scopes) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tokens: Tokens = { realm: `http://127.0.0.1:${port}/token`, service, issuer, rootPath: known.caPath }
  return {
    tokens,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }

  /** Whatever is asked for is granted, but the right to list everything, to a user named "modest". */
  function tokenFor(name: string, scopes: string[]): string {
    const now = Math.floor(Date.now() / 1000)
    const access = scopes
      .map((it) => it.split(':'))
      .filter(([type]) => type !== 'registry' || name !== 'modest')
      .map(([type, it, actions = '']) => ({ type, name: it, actions: actions.split(',') }))
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

type Given = [name: string, word: string, scopes: string[]]

function fromHeader({ headers, url }: IncomingMessage): Given {
  const [, given = ''] = (headers.authorization ?? '').split(' ')
  const plain = Buffer.from(given, 'base64').toString()
  const colon = plain.indexOf(':')
  return [plain.slice(0, colon), plain.slice(colon + 1), new URL(url ?? '/', 'http://it').searchParams.getAll('scope')]
}

async function fromForm(request: IncomingMessage): Promise<Given> {
  const form = new URLSearchParams(await text(request))
  const isRight = form.get('grant_type') === 'password' && form.get('service') === service
  return [isRight ? (form.get('username') ?? '') : '', form.get('password') ?? '', (form.get('scope') ?? '').split(' ')]
}
