/** Callers of auth.login, each on a connection and from an address of its own, and the accounts that they use. */
import http from 'node:http'
import { type Berth, installationToken } from './berth.ts'

export const password = 'only for the bench'

export interface Login {
  email: string
  password: string
}

export interface Caller {
  /** Gives how long the answer took, in ms; throws where it has another status. */
  login(login: Login, status?: number): Promise<number>
  close(): void
}

/** `number`: 2 to 254. Connected when it is given. */
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

/** Accounts with the password above, by invitation; gives their e-mails. */
export async function addAccounts(berth: Berth, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, (_, at) => emailOf('known', at))
  for (const email of emails) {
    const { id, token } = await berth.call('user.invite', { email, rol: 'user' })
    await berth.call('auth.createUser', { id, token, password })
  }
  return emails
}

/** All of one length. */
export const emailOf = (word: string, at: number) => `${word}${String(at).padStart(3, '0')}@example.org`
