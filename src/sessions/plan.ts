/** Plans the container of a session: the program, its login and its node. Refuses if the database cannot be used now. */
import { refuseFor } from '../api/engine-queries.ts'
import { isBeingWorkedOn, isClosedToDumps, lockingRestore, wasRestoredSince } from '../backups/database-locks.ts'
import { leavingNodes } from '../cluster/queries.ts'
import { findProvenTask, readServiceWithVolume, serverOf, type Server, addressOf } from '../databases/tool-server.ts'
import { withAuthority } from '../kinds/server-tls.ts'
import { RunFailure } from '../dumps/failures.ts'
import type { Job, TerminalSize } from '../engine/job.ts'
import { refuse, refuseField } from '../errors.ts'
import { BrokenArchive, type Program } from '../kinds/backup.ts'
import { type PieceMasker, pieceMaskerOf } from '../lib/crypto/mask.ts'
import { textFile } from '../lib/text-file.ts'
import type { Runtime } from '../runtime.ts'
import { SessionFailure } from './failure.ts'
import type { Mode } from './protocol.ts'

export interface SessionRequest {
  mode: Mode
  /** Null: the program gets pipes. */
  terminal: TerminalSize | null
  /** Of `client`: the arguments of the program. Of `dump`: the name of the database within the server, or nothing. */
  args: readonly string[]
}

export interface SessionPlan {
  id: string
  databaseId: string
  mode: Mode
  job: Job
  /** Hides the passwords of the database in the text that it gets in pieces. */
  masker: PieceMasker
  /** Checks the output of a program that ended with 0; null: the exit code is enough. */
  check: OutputCheck | null
}

export interface OutputCheck {
  write(piece: Buffer): void
  /** @throws SessionFailure if the output cannot be trusted */
  end(): Promise<void>
}

/** The memory limit of a client or a tunnel, in MiB. A dump has none: it ends with all that was read, or not at all. */
const memoryMib = 512

const tunnelScript = textFile('sessions/tunnel.sh')
const tunnelPerl = textFile('sessions/tunnel.pl')

/**
 * Plans a session with a database of any kind. Refuses with NOT_FOUND without the database, CONFLICT while a deployment,
 * a move or a restore works on it, PRECONDITION_FAILED if it does not run, and with the code for a failure of the engine.
 */
export async function planSession(runtime: Runtime, databaseId: string, request: SessionRequest): Promise<SessionPlan> {
  const { db } = runtime
  const found = await db
    .selectFrom('database')
    .select('id')
    .where('id', '=', databaseId)
    .where('goal', '!=', 'gone')
    .executeTakeFirst()
  if (found === undefined) refuse('NOT_FOUND', 'No database with this id. database.all lists all databases')
  await refuseDuringWork(runtime, databaseId, request.mode)
  try {
    return await planOn(runtime, databaseId, request)
  } catch (error) {
    if (error instanceof RunFailure) {
      refuse('PRECONDITION_FAILED', `${error.message}. A session needs a running database`, {
        reason: error.reason.reason,
      })
    }
    return refuseFor(error)
  }
}

async function refuseDuringWork({ db }: Runtime, databaseId: string, mode: Mode): Promise<void> {
  if (await isBeingWorkedOn(db, databaseId)) {
    refuse('CONFLICT', 'A deployment or a move of this database is under way. deployment.all shows its state')
  }
  const isRestored = mode === 'dump' ? await isClosedToDumps(db, databaseId) : await lockingRestore(db, databaseId)
  if (isRestored) refuse('CONFLICT', 'This database is being restored. backup.runs shows the state of the restore')
}

async function planOn(runtime: Runtime, databaseId: string, request: SessionRequest): Promise<SessionPlan> {
  const server = serverOf(runtime, await readServiceWithVolume(runtime, databaseId))
  const task = await findProvenTask(runtime, databaseId)
  if (task.nodeId !== null && (await leavingNodes(runtime.db)).has(task.nodeId)) {
    const waits = 'cluster.getNodes shows the work that this waits for'
    refuse('CONFLICT', `The node of this database is about to be drained or removed. ${waits}`)
  }
  const { mode, terminal } = request
  const id = runtime.newId()
  // The address and not 127.0.0.1, for which PostgreSQL's image needs no password.
  const host = task.address ?? server.host
  const { argv, env, files = [] } = programOf(server, host, request)
  const job: Job = {
    name: `berth-session-${id}`,
    recordId: databaseId,
    image: server.image,
    argv,
    env: { ...env, ...(mode === 'client' ? clientEnv : {}) },
    files,
    stdin: mode !== 'dump',
    hasStderr: terminal === null,
    ...(task.nodeId === null ? {} : { nodeId: task.nodeId }),
    ...(task.containerId === null ? {} : { networkOf: task.containerId }),
    ...(mode === 'dump' ? {} : { memoryMib }),
    ...(terminal === null ? {} : { terminal }),
  }
  const check = mode === 'dump' ? dumpCheck(runtime, databaseId, server, task.id) : null
  return { id, databaseId, mode, job, masker: pieceMaskerOf(server.secrets), check }
}

/** Clients show text in UTF-8. Images for servers often set no locale. */
const clientEnv = { TERM: 'xterm-256color', LANG: 'C.UTF-8' }

function programOf(server: Server, host: string, { mode, args }: SessionRequest): Program {
  const { kind, settings, version } = server
  const address = addressOf({ ...server, host })
  if (mode === 'client') return withAuthority(kind.client(settings, address, args), server.tls)
  if (mode === 'tunnel') {
    // With `require`, Redis listens only on its port with TLS.
    const port = server.tls?.mode === 'require' ? address.port : kind.port
    return { argv: ['sh', '-c', tunnelScript, 'berth', host, String(port), tunnelPerl], env: {} }
  }
  if (kind.backup === undefined) refuse('PRECONDITION_FAILED', `${kind.label} has no dumps`)
  const database = args[0] ?? settings.databaseName
  if (database === undefined) {
    refuseField('argument', `must name the database to dump, because a ${kind.label} server has several`)
  }
  return withAuthority(kind.backup.dump(settings, { ...address, database }, version), server.tls)
}

/**
 * Checks that a dump is complete, as far as its format can be read without the server's tools, and that it is of one
 * state: the same container ran all the time, and no restore wrote into the database.
 */
function dumpCheck(runtime: Runtime, databaseId: string, { kind }: Server, taskId: string): OutputCheck {
  const { reader, unpack, isMissingDumpedAsEmpty } = kind.backup!
  const reading = unpack === undefined ? reader() : null
  const since = runtime.now().toISOString()
  const broken = (error: unknown) =>
    error instanceof BrokenArchive ? new SessionFailure({ code: 'DumpBroken', detail: error.message }) : error
  return {
    write(piece) {
      try {
        reading?.write(piece)
      } catch (error) {
        throw broken(error)
      }
    },
    async end() {
      try {
        const contents = reading?.end()
        const isEmpty = contents !== undefined && Object.keys(contents.tables).length === 0
        if (isMissingDumpedAsEmpty === true && isEmpty) throw new SessionFailure({ code: 'DumpEmpty' })
      } catch (error) {
        throw broken(error)
      }
      const task = await findProvenTask(runtime, databaseId).catch(() => null)
      if (task?.id !== taskId || (await wasRestoredSince(runtime.db, databaseId, since))) {
        throw new SessionFailure({ code: 'DatabaseChanged' })
      }
    },
  }
}
