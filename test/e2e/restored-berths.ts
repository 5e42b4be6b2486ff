/** Berths whose state is restored, for end-to-end tests: calls, databases and the confirmation. */
import assert from 'node:assert/strict'
import { freePort } from '../fixtures/free-port.ts'
import { run } from '../installation/run-command.ts'
import { type BerthProcess, berthProcess } from './process.ts'
import { removeAll, type Service } from './swarm.ts'

export const waitHeader = { prefer: 'wait=180' }

export async function ok<T>(
  berth: BerthProcess,
  name: string,
  input: Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  const { status, body } = await berth.call<T>(name, input, headers)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}

/** Starts Berths and ends them before their services are removed. A running Berth would create the services again. */
export function berthsUnder(end: AsyncDisposableStack) {
  let installationId: string | undefined
  end.defer(async () => {
    if (installationId !== undefined) await removeAll(installationId)
  })
  return {
    start,
    setInstallationId: (id: string) => {
      installationId = id
    },
  }

  async function start(folder: string, env: Record<string, string> = {}) {
    const berth = await berthProcess(folder, env)
    end.defer(() => berth.kill())
    await berth.start()
    return berth
  }
}

/** Redis deploys faster than PostgreSQL. Tests that need no tables use Redis. */
export type Kind = 'postgres' | 'redis'

export async function deploy(
  berth: BerthProcess,
  kind: Kind,
  fields: { projectId: string; appName: string; [name: string]: string },
): Promise<Service & { url: string }> {
  const input = { name: 'e2e', databasePassword: '', ...fields }
  const { [`${kind}Id`]: id } = await ok<Record<string, string>>(berth, `${kind}.create`, input)
  await ok(berth, `${kind}.saveExternalPort`, { [`${kind}Id`]: id, externalPort: await freePort() })
  const service = await ok<Service>(berth, `${kind}.deploy`, { [`${kind}Id`]: id }, waitHeader)
  return { ...service, url: await urlOf(berth, kind, id!) }
}

/** Returns the external URL with the password. The response of `deploy` masks the password. */
export async function urlOf(berth: BerthProcess, kind: Kind, id: string) {
  const { connection, externalPort } = await ok<Service>(berth, `${kind}.one`, { [`${kind}Id`]: id })
  const url = new URL(connection.externalUrl)
  assert.equal(url.port, String(externalPort))
  url.hostname = '127.0.0.1'
  return url.href
}

export interface Differences {
  version: string
  entries: { name: string; reason: string; reasonCode: string; decisions: string[] }[]
}

/** A code that the command on the machine prints. */
export async function codeIn(folder: string): Promise<string> {
  const { out } = await run(folder, ['state', 'code'])
  return /\b(?:[0-9a-z]{4}-){2}[0-9a-z]{4}\b/.exec(out)![0]
}

/** Confirms the restored state as proposed, with a code that the command on the machine prints. */
export async function confirmState(berth: BerthProcess, folder: string) {
  const { version } = await ok<Differences>(berth, 'state.differences', {})
  const code = await codeIn(folder)
  await ok(berth, 'state.confirm', { code, version, takeProposals: true })
}
