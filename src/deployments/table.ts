/** The table of deployments: long-running work that a call or Berth itself began, and its outcome. */
import type { Json } from '../lib/json.ts'
import type { Time } from '../store/column-types.ts'
import type { DeploymentReason } from './reason.ts'

export type DeploymentAction =
  | 'deploy'
  | 'start'
  | 'stop'
  | 'reload'
  | 'regainAccount'
  | 'saveExternalPort'
  | 'remove'
  | 'repair'
  | 'restart'
  | 'removeVolume'
  | 'publish'
  | 'unpublish'
  | 'enableRegistry'
  | 'removeRegistry'
  | 'collectGarbage'
  | 'removeNode'
  | 'move'
  | 'restore'
  | 'halt'
export type DeploymentState = 'running' | 'done' | 'error' | 'superseded'
/**
 * `apply`: the requested change is carried out. After a failure, a deployment of a database can enter `rollback`, which
 * returns to the last good target, or `halt`, which stops the server. A failed removal of a node enters `rollback`,
 * which restores the node's availability.
 */
export type DeploymentPhase = 'apply' | 'rollback' | 'halt'

export const subjectKinds = ['database', 'volume', 'port', 'registry', 'node'] as const
/** The kind of the record that a deployment changes. */
export type SubjectKind = (typeof subjectKinds)[number]

export interface DeploymentTable {
  id: string
  subjectKind: SubjectKind
  /** The id of the database, volume, published port or registry, or the engine's id of the node. */
  subjectId: string
  /**
   * The kind of the database, or of the database that the volume belonged to; otherwise `port`, `registry` or `node`.
   * Null if the row is older than this column.
   */
  kind: string | null
  /**
   * The name of the database, of the registry or of the volume's database when the work began; the id of the port's
   * application; the host name of the node. Null if the row is older than this column.
   */
  appName: string | null
  action: DeploymentAction
  state: DeploymentState
  phase: DeploymentPhase
  /** Why the work failed, what it waits for, or its progress. Null if there is nothing to report. */
  reason: Json<DeploymentReason> | null
  startedAt: Time
  /** When the present phase began. */
  phaseAt: Time
  finishedAt: Time | null
}
