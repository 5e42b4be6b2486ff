/** Callers of auth.login, each with its own connection and IP address, and the accounts that they use. */
import http from 'node:http'
import { type Berth, installationToken } from './berth.ts'

export const password = 'only for the bench'

export interface Login {
  email: string
  password: string
}

export interface Caller {
  /** Returns the latency in milliseconds. Throws if the answer has another status. */
  login(login: Login, status?: number): Promise<number>
  close(): void
}

/**
 * Returns a caller that is already connected.
 * @param number the last number of its IP address, 2 to 254
 */
export async function callerOf({ url }: Berth, number: number): Promise<Caller> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.0.0.${number}` })
  const headers = { authorization: `Bearer ${installationToken}`, 'content-type': 'application/json' }
  await send(`${url}/healthz`, { agent }, '', 200)
  return {
    login: (login, status = 200) =>
      send(`${url}/api/auth.login`, { agent, headers, method: 'POST' }, JSON.stringify(login), status),
    close: () => agent.destroy(),
  }
}

function send(url: string, options: http.RequestOptions, body: string, status: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    http
      .request(url, options, (response) => {
        const took = () => performance.now() - start
        if (response.statusCode !== status) reject(new Error(`${url} answered ${response.statusCode}, not ${status}`))
        response.resume().on('end', () => resolve(took()))
      })
      .on('error', reject)
      .end(body)
  })
}

/** Creates accounts with the password above, by invitation. Returns their e-mail addresses. */
export async function addAccounts(berth: Berth, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, (_, at) => emailOf('known', at))
  for (const email of emails) {
    const { id, token } = await berth.call('user.invite', { email, rol: 'user' })
    await berth.call('auth.createUser', { id, token, password })
  }
  return emails
}

/** Returns an e-mail address. All addresses of one word have the same length. */
export const emailOf = (word: string, at: number) => `${word}${String(at).padStart(3, '0')}@example.org`
