/**
 * Declarations of operations. An operation has one of four types:
 *
 *   query    reads from the store only                            GET
 *   inspect  reads from the store and queries the engine, with    GET
 *            a timeout; changes nothing
 *   command  writes to the store in one transaction; does not     POST
 *            call the engine
 *   action   works outside a transaction (password hashes,        POST
 *            registries, storages) and writes with `transact`
 *            and `conclude`
 *
 * The type determines the HTTP method, the transaction and the dependencies of the handler. Handlers do not depend on
 * HTTP.
 */
import { z } from 'zod'
import type { TagRule } from './entity-tag.ts'
import type { Access, Holder } from './access.ts'
import type { Clock } from '../clock/clock.ts'
import type { Config } from '../config.ts'
import type { EngineView } from '../engine/view.ts'
import type { Code } from '../errors.ts'
import type { Work } from '../gate/gate.ts'
import type { Passwords } from '../lib/crypto/password.ts'
import type { Reader, Transact, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import type { ClusterChanges } from '../cluster/changes.ts'
import type { ProxyChanges } from '../routing/proxy-changes.ts'
import type { BackupHooks, LoopName } from '../runtime.ts'

/** The caller that a token identifies. An installation token and an invitation have no account. */
export interface Actor extends Holder {
  tokenId: string
  /** '' without an account. */
  accountId: string
  /** E-mail of the account or the invitation; '' for the installation token. */
  email: string
  /** Whether this session has passed the second factor. */
  passed2FA: boolean
  /** Expiry of the token, ISO 8601; null: the token is valid until it is replaced or revoked. */
  expiresAt: string | null
  /** IP address of the client. */
  address: string
}

interface Base {
  actor: Actor
  config: Config
  vault: Vault
  /** The time for records. It does not jump with the clock of the machine. */
  now(): Date
  clock: Clock
  newId(): string
}

export interface QueryContext extends Base {
  db: Reader
  /**
   * Sets the header Berth-Next-Cursor of the answer. Call this only if the list has another page.
   *
   * @param cursor the id of the last record on this page
   */
  setNextCursor(cursor: string): void
  /**
   * Makes the tag of the record depend on a value that the answer masks. Only for an operation with a `tag`.
   *
   * @param value the stored value, unsealed; any JSON value
   */
  addToTag(value: unknown): void
}

export interface InspectContext extends Base {
  db: Reader
  /** Queries of the engine. If one fails, the call is refused with the engine's message. */
  engine: EngineView
  /** Aborted when the caller disconnects or the query times out. */
  signal: AbortSignal
  /** Does the same as in QueryContext. */
  setNextCursor(cursor: string): void
}

export interface CommandContext extends Base {
  tx: Writer
  backups: BackupHooks
  /** Wakes a loop after the transaction is committed. */
  wake(loop: LoopName): void
  /** Registers a deployment or backup run that this call started. `Prefer: wait` waits for all that are registered. */
  follow(deploymentId: string): void
  /** Removes the cookie of the session of this call, if the call was made with a cookie. */
  endCookieSession(): void
}

/** `wake` and `follow` do the same as in CommandContext. */
export type Conclude = <T>(
  work: (tx: Writer, wake: (loop: LoopName) => void, follow: (deploymentId: string) => void) => Promise<T>,
) => Promise<T>

export interface ActionContext extends Base {
  db: Reader
  /** For changes that are stored before the action concludes. */
  transact: Transact
  /**
   * Runs the last transaction of an action. Call this at most once, and not if the action changes nothing. Return the
   * result from `run`: it is the answer of the call. The audit entry and the answer for a repeated idempotency key are
   * written in the same transaction.
   */
  conclude: Conclude
  /**
   * Keeps a new session in a cookie of the caller's browser. The answer must not contain its token then. Null if the
   * caller did not ask for a cookie (a sign-in with the input `cookie`).
   */
  startCookieSession: ((token: string, expiresAt: string) => void) | null
  passwords: Passwords
  backups: BackupHooks
  /** Changes the rules of applications. */
  proxy: ProxyChanges
  /** Changes the swarm and its nodes. */
  cluster: ClusterChanges
  /** Queries the engine, with a timeout. If a query fails, the call is refused with the engine's message. */
  queryEngine<T>(query: (engine: EngineView) => Promise<T>): Promise<T>
}

interface Contexts {
  query: QueryContext
  inspect: InspectContext
  command: CommandContext
  action: ActionContext
}

/** The element type of a list. */
type Element<L> = L extends readonly (infer E)[] ? E : never

interface Stream<I, E> {
  isRequested(input: I): boolean
  /** Opens the stream. The stream ends when the signal aborts or when there are no more elements. May refuse. */
  open(context: InspectContext, input: I): Promise<AsyncIterable<E>>
}

/** An answer that is a file instead of JSON. An inspect operation declares `fileOutput` as its output. */
export class FileAnswer {
  /** The name under which a client saves the file. */
  readonly name: string
  /** The exact size; null if it is known only at the end. */
  readonly sizeBytes: number | null
  /** The SHA-256 checksum of the file as hex; null if it is not known. */
  readonly sha256: string | null
  /**
   * Opens the content. The stream fails if it is not complete and correct; then the connection breaks, so that the client
   * does not take a part for the whole.
   * @param signal aborted when the caller disconnects or Berth stops
   */
  readonly open: (signal: AbortSignal) => AsyncIterable<Buffer>

  constructor({ name, sizeBytes, sha256, open }: Pick<FileAnswer, 'name' | 'sizeBytes' | 'sha256' | 'open'>) {
    this.name = name
    this.sizeBytes = sizeBytes
    this.sha256 = sha256
    this.open = open
  }
}

/** The output of an operation that answers a file. */
export const fileOutput = z
  .instanceof(FileAnswer)
  .meta({ type: 'string', format: 'binary', description: 'The bytes of the file' })

interface Declaration<W extends keyof Contexts, I extends z.ZodObject, O extends z.ZodType> {
  /** `<group>.<operation>` */
  name: string
  summary: string
  /** Text below the summary on the reference page. */
  description?: string
  access: Access
  input: I
  /** Validates the answer and removes fields that are not in the schema. */
  output: O
  /**
   * Only for reads: whether the answer reveals a secret to this caller. Such a read is recorded in the audit log before
   * it is answered.
   */
  revealsSecret?(actor: Holder, input: z.output<I>): boolean
  /** Only for `<group>.one`: the record has a tag. Changes of the record accept the tag as a precondition. */
  tag?: TagRule<keyof z.output<O> & string>
  /** Only for changes: the call is answered also while changes are held back (src/gate), unless an upgrade holds them. */
  worksWhileClosed?: true
  /** Only for changes: what the gate has to allow. Default: `change`. `read`: works while a restored state is unconfirmed. */
  work?: Work
  /**
   * Only for changes: the input of `<group>.one` for the record that the call changes, if the input of the call does
   * not require it. null: the call does not change that record.
   */
  recordOf?: ((actor: Actor) => Record<string, unknown>) | null
  /** The error codes of this operation, in addition to those of every operation. For the reference page. */
  refusals?: Code[]
  run(context: Contexts[W], input: z.output<I>): Promise<z.input<O>>
  /** Only for an inspect operation that answers a list: sends each element as it arrives, if the input requests it. */
  stream?: Stream<z.output<I>, Element<z.input<O>>>
  /**
   * Only for long work: the answer after the wait of `Prefer: wait`. Called if the deployments succeeded or the wait
   * timed out. Without this function, the call answers the result of `run`.
   */
  finalAnswer?(context: QueryContext, input: z.output<I>, deploymentIds: string[]): Promise<z.input<O>>
}

/** A declaration without its input and output types, so that one list can hold all operations. */
export type Operation = {
  [W in keyof Contexts]: Omit<Declaration<W, z.ZodObject, z.ZodType>, 'tag'> & { type: W; tag?: TagRule }
}[keyof Contexts]

const declare =
  <W extends keyof Contexts>(type: W) =>
  <I extends z.ZodObject, O extends z.ZodType>(declaration: Declaration<W, I, O>) =>
    ({ type, ...declaration }) as unknown as Operation

export const query = declare('query')
export const inspect = declare('inspect')
export const command = declare('command')
export const action = declare('action')

export const methodOf = ({ type }: Operation) => (type === 'query' || type === 'inspect' ? 'GET' : 'POST')
