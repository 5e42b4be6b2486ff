/** Berth as a process that serves the console, on the machine's real swarm. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proxyProcesses } from '../../crash/engine.ts'
import { rowsOf } from '../../crash/store.ts'
import { folderUnder } from '../../fixtures/folder.ts'
import { programs } from '../caddy.ts'
import { berthProcess } from '../process.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { removeAll } from '../swarm.ts'

/** The account that `signIn` of process.ts creates. */
export const administrator = { email: 'ada@example.org', password: 'correct horse' }

export type ConsoleBerth = Awaited<ReturnType<typeof startConsoleBerth>>

/** Starts a Berth without accounts. At its end, everything that it created on the swarm is removed. */
export async function startConsoleBerth(end: AsyncDisposableStack, { hasProxy = false } = {}) {
  const folder = folderUnder(end)
  const berth = await berthProcess(folder, hasProxy ? await proxySettings() : {})
  end.defer(() => {
    for (const id of proxyProcesses(folder)) process.kill(id, 'SIGKILL')
  })
  end.defer(async () => {
    const [meta] = rowsOf<{ value: string }>(folder, "select value from meta where key = 'installationId'")
    // Berth must end before its services are removed, because Berth would create them again.
    await berth.kill()
    await removeAll(meta!.value)
  })
  await berth.start()
  return { ...berth, folder, installationToken: () => readFileSync(join(folder, 'access-token'), 'utf8').trim(), ok }

  /** Makes a call that must succeed. Returns its answer. */
  async function ok<T = Record<string, unknown>>(
    name: string,
    input: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<T> {
    const { status, body } = await berth.call<T>(name, input, headers)
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
    return body
  }
}

/** Accepts an invitation. Returns the id of the account. */
export async function createAccount(
  base: string,
  { id, token }: { id: string; token: string },
  password: string,
): Promise<string> {
  const answer = await fetch(`${base}/api/auth.createUser`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id, token, password }),
  })
  const { account } = (await answer.json()) as { account: { id: string } }
  return account.id
}

/** Other tests may use the swarm's only proxy service, so this Berth runs its proxy as processes. */
const proxySettings = async () => ({
  BERTH_PROXY: 'process',
  BERTH_PROXY_HTTP_PORT: String(await freePort()),
  BERTH_PROXY_HTTPS_PORT: String(await freePort()),
  PATH: `${programs}:${process.env.PATH}`,
})
