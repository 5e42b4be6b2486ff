/** Makes a running server refuse or accept connections without TLS, for products whose arguments do not decide this. */
import type { Outcome } from '../../engine/engine.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Address, Kind, TlsMode } from '../../kinds/kind.ts'
import { serverAddress, serverTlsOf } from '../../kinds/server-tls.ts'
import type { Runtime } from '../../runtime.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import type { Target } from '../targets.ts'
import { findTls, recordStart, updateTls } from './queries.ts'

/** A running server and its target. */
export interface TlsServer {
  row: Pick<DatabaseTable, 'id' | 'appName' | 'lastGood'>
  kind: Kind
  target: Target
}

/** Runs a program in the container of the server. */
type RunInServer = (program: Exec) => Promise<Outcome>

/** The address of the server for programs in its container. They use TLS and verify the server, if the target has TLS. */
export const targetAddress = ({ kind, target, row }: TlsServer, host: string): Address =>
  serverAddress(kind, host, serverTlsOf(kind, target.tls, row.appName, ''))

/**
 * Lets the server accept connections without TLS again, if a target before this one may have refused them: an earlier
 * target of the database, or one of the database that had the volume before. Call this before the first login, which
 * needs this if the server has no TLS any more.
 * @param volume the volume that the server runs on
 * @returns null, or the outcome of a program that failed
 */
export async function allowPlain(
  runtime: Runtime,
  server: TlsServer,
  volume: Pick<VolumeTable, 'serverVersion'>,
  address: Address,
  run: RunInServer,
): Promise<Outcome | null> {
  const { row } = server
  const program = modeProgram(server, address)
  if (program === null || program.mode === 'require') return null
  const isFirstStartOnKeptData = row.lastGood === null && volume.serverVersion !== null
  // Without a record, the server has no TLS. The record of a `require` may be newer than a restored state of Berth.
  const recorded = await findTls(runtime.db, row.id)
  if (!isFirstStartOnKeptData && recorded !== null && recorded.isRequired !== 1) return null
  const failure = failureOf(await run(program.exec))
  if (failure === null) await runtime.transact((tx) => updateTls(tx, row.id, { isRequired: 0 }))
  // Without a record there is probably nothing to take back, and an unusual image may lack the tools of the program. The
  // login that follows tells whether the server accepts connections without TLS.
  return recorded === null && !isFirstStartOnKeptData ? null : failure
}

/**
 * Makes the server refuse connections without TLS, if its target says so. Call this after a login.
 * @returns null, or the outcome of a program that failed
 */
export async function requireTls(
  runtime: Runtime,
  server: TlsServer,
  address: Address,
  run: RunInServer,
): Promise<Outcome | null> {
  const { id } = server.row
  const program = modeProgram(server, address)
  if (program?.mode !== 'require') return null
  // Recorded before the server changes, so that a later target without `require` takes the change back.
  await runtime.transact(async (tx) => {
    if ((await findTls(tx, id)) === null) await recordStart(tx, id, 'require')
    await updateTls(tx, id, { isRequired: 1 })
  })
  return failureOf(await run(program.exec))
}

/** The program that applies the mode of the target; null if the arguments of the server decide the mode. */
function modeProgram({ kind, target }: TlsServer, address: Address): { mode: TlsMode; exec: Exec } | null {
  const applyMode = kind.tls?.applyMode
  return applyMode === undefined ? null : { mode: target.tls, exec: applyMode(target.settings, address, target.tls) }
}

const failureOf = (outcome: Outcome): Outcome | null => (outcome.exitCode === 0 ? null : outcome)
