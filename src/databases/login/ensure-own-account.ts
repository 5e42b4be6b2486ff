/**
 * Makes sure that Berth has an account of its own on a running server. If the account is missing or was changed, Berth
 * makes it again: with the administrator's credentials over the network, or else through the socket in the container.
 */
import { isDeepStrictEqual } from 'node:util'
import type { FoundTask } from '../../engine/engine.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Kind, OwnAccount } from '../../kinds/kind.ts'
import type { LoginOutput } from '../../kinds/login-output.ts'
import type { Runtime } from '../../runtime.ts'
import type { VolumeTable } from '../../store/schema.ts'
import type { Access } from '../../volumes/table.ts'
import * as volumes from '../../volumes/queries.ts'
import type { Settings } from '../targets.ts'
import { newOwnAccount, ownAccountOf, recordedOwnAccount, sealOwnAccount } from './own-account.ts'
import { hasRun, runProgram } from './run-program.ts'

/** A running server. */
export interface OwnedServer {
  databaseId: string
  kind: Kind
  volume: Pick<VolumeTable, 'id' | 'ownAccount' | 'access'>
  task: FoundTask
}

/** `account` is null if the server has no account that works. `access` is null if the server could not be asked. */
export interface OwnAccess {
  account: OwnAccount | null
  access: Access | null
}

const timeoutMs = 10_000

/**
 * @param known all credentials that the server may accept, the most likely first
 * @param login what the server has just answered to a login of its user. Null if there was no login: then nobody knows
 *   whether the server accepts anyone now, and a failure is not recorded
 */
export async function ensureOwnAccount(
  runtime: Runtime,
  server: OwnedServer,
  known: readonly Settings[],
  login: Pick<LoginOutput, 'isRootRefused'> | null,
): Promise<OwnAccess> {
  const { volume } = server
  const works = await findOrMake(runtime, server, known)
  if (works === null || (works === false && login === null)) {
    return { account: ownAccountOf(runtime.vault, volume), access: null }
  }
  const isRootRefused = login?.isRootRefused ?? volume.access === 'withoutRoot'
  const access = works === false ? 'withoutOwn' : isRootRefused ? 'withoutRoot' : 'complete'
  if (access !== volume.access) await runtime.transact((tx) => volumes.recordAccess(tx, volume.id, access))
  return { account: works === false ? null : works, access }
}

/** The account that works; false if there is none; null if this could not be found out. */
async function findOrMake(
  runtime: Runtime,
  server: OwnedServer,
  known: readonly Settings[],
): Promise<OwnAccount | false | null> {
  const { kind, task, volume } = server
  const [first] = known
  if (kind.ownAccounts === undefined || task.address === null || first === undefined) return null
  const { check, create, createInside } = kind.ownAccounts
  const address = { host: task.address, port: kind.port }
  const run = async (program: Exec) => runProgram(runtime, task, program, timeoutMs)
  const recorded = recordedOwnAccount(runtime.vault, volume)
  if (recorded !== null) {
    const checked = await run(check(recorded, first, address))
    if (checked.exitCode === 0) return recorded
    if (!hasRun(checked)) return null
  }
  const own = recorded ?? (await recordNew(runtime, server))
  const candidates = known.filter(
    (settings, at) => known.findIndex((other) => isDeepStrictEqual(other, settings)) === at,
  )
  for (const program of [create, createInside].filter((each) => each !== undefined)) {
    for (const settings of candidates) {
      const made = await run(program(own, settings, address))
      if (made.exitCode === 0 && (await run(check(own, settings, address))).exitCode === 0) return own
      if (!hasRun(made)) return null
    }
  }
  return false
}

/** Records an account before it is made, so that a crash in between leaves none that Berth does not know. */
async function recordNew({ vault, transact }: Runtime, { databaseId, volume }: OwnedServer): Promise<OwnAccount> {
  const sealed = sealOwnAccount(vault, volume.id, newOwnAccount(databaseId))
  const recorded = await transact(async (tx) => {
    await volumes.recordOwnAccount(tx, volume.id, sealed)
    return volumes.get(tx, volume.id)
  })
  return recordedOwnAccount(vault, recorded)!
}
