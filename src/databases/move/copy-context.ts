/** The parameters that all parts of one copy need, and the servers and tools that they use. */
import type { Program, ServerInventory } from '../../kinds/backup.ts'
import { kindNamed } from '../../kinds/index.ts'
import { maskerOf } from '../../lib/crypto/mask.ts'
import type { Tool } from '../../dumps/archive.ts'
import type { Runtime } from '../../runtime.ts'
import { ownAccountOf } from '../login/own-account.ts'
import { secretsOf } from '../login/secrets.ts'
import { settingsOfVolume } from '../targets.ts'
import type { Server } from '../tool-server.ts'
import type { MoveContext } from './progress.ts'
import type { RestoredDump } from './restored-dump.ts'
import { settingsOnSide, type Side, temporaryServerSpec } from './temporary-servers.ts'

export interface CopyContext {
  runtime: Runtime
  moveContext: MoveContext
  serverInventory: ServerInventory
  /** The dump that replaces one of the databases; null: all databases are copied. */
  dump: RestoredDump | null
  signal: AbortSignal
}

export function serverAt({ runtime, moveContext }: Omit<CopyContext, 'dump'>, side: Side, host: string): Server {
  const {
    job: { row },
    from,
  } = moveContext
  const kind = kindNamed(row.kind)
  return {
    kind,
    host,
    image: temporaryServerSpec(runtime, moveContext, 'source').image,
    version: from.serverVersion,
    settings: settingsOnSide(kind, settingsOfVolume(runtime.vault, from), side),
    own: ownAccountOf(runtime.vault, from),
    mask: maskerOf(secretsOf(runtime.vault, row, from, kind.secrets)),
  }
}

export function toolOf(
  { moveContext }: CopyContext,
  part: string,
  { image, mask, isIsolated = false }: Server,
  program: Program,
): Tool {
  const { deploymentId } = moveContext.move
  return { name: `berth-${part}-${deploymentId}`, recordId: deploymentId, image, program, mask, isIsolated }
}
