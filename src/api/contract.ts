/**
 * The four words that an operation is declared with.
 *
 *   query    reads; never writes, never leaves the process        GET
 *   look     reads, and looks at the engine in bounded time;      GET
 *            never changes anything
 *   command  writes intent, inside one transaction; no engine     POST
 *   action   does work outside any transaction (hashing, later
 *            registries and storage), and writes by transact      POST
 *
 * The word decides the method, the transaction and what the handler can reach. Knows nothing of HTTP.
 */
import type { z } from 'zod'
import type { Access, Holder } from './access.ts'
import type { Config } from '../config.ts'
import type { EngineView } from '../engine/view.ts'
import type { Code } from '../errors.ts'
import type { Passwords } from '../lib/crypto/password.ts'
import type { Reader, Transact, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import type { ClusterChanges } from '../cluster/changes.ts'
import type { ProxyChanges } from '../routing/proxy-changes.ts'
import type { LoopName } from '../runtime.ts'

/** Whoever a good token stands for. An installation token and an invitation have no account. */
export interface Actor extends Holder {
  tokenId: string
  accountId: string
  email: string
  /** The second factor was shown in this session. */
  passed2FA: boolean
  /** ISO 8601; null: until replaced or revoked. */
  expiresAt: string | null
  /** Where the request came from. */
  address: string
}

interface Base {
  actor: Actor
  config: Config
  vault: Vault
  now(): Date
  newId(): string
}

export interface QueryContext extends Base {
  db: Reader
  /** Says that the list goes on after this id (the header Berth-Next-Cursor). */
  more(cursor: string): void
}

export interface InspectContext extends Base {
  db: Reader
  /** What fails there is refused in the engine's words. */
  engine: EngineView
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal
  /** As of a query. */
  more(cursor: string): void
}

export interface CommandContext extends Base {
  tx: Writer
  /** Wakes a loop once the transaction is committed. */
  wake(loop: LoopName): void
  /** Names a deployment that this call's work is: `Prefer: wait` waits for all that were named. */
  follow(deploymentId: string): void
}

/** `wake` and `follow` are those of a command. */
export type Conclude = <T>(
  work: (tx: Writer, wake: (loop: LoopName) => void, follow: (workId: string) => void) => Promise<T>,
) => Promise<T>

export interface ActionContext extends Base {
  db: Reader
  /** For what has to be stored on the way. */
  transact: Transact
  /**
   * The last transaction of an action that changes something, at most once: its answer is the call's, and what every
   * change leaves behind (audit entry, answer for a repeated key) is written with it.
   */
  conclude: Conclude
  passwords: Passwords
  /** How a rule about applications is changed. */
  proxy: ProxyChanges
  /** What can be done to the swarm itself. */
  cluster: ClusterChanges
}

interface Contexts {
  query: QueryContext
  look: InspectContext
  command: CommandContext
  action: ActionContext
}

/** What a list is of. */
type Element<L> = L extends readonly (infer E)[] ? E : never

interface Stream<I, E> {
  isAsked(input: I): boolean
  /** Until the signal is aborted, or until there can be no more. Refuses, or gives what is still to come. */
  open(context: InspectContext, input: I): Promise<AsyncIterable<E>>
}

interface Declaration<W extends keyof Contexts, I extends z.ZodObject, O extends z.ZodType> {
  /** `<group>.<operation>` */
  name: string
  summary: string
  /** What the reference page says below the summary. */
  description?: string
  access: Access
  input: I
  /** Also the filter: what is not in it never leaves. */
  output: O
  /**
   * Of a read: whether its answer tells this caller a secret. Such a read is noted in the audit log before it is
   * answered.
   */
  tellsSecret?(actor: Holder): boolean
  /** Refusals of its own, for the reference, beside those that every operation has. */
  refusals?: Code[]
  run(context: Contexts[W], input: z.output<I>): Promise<z.input<O>>
  /** Of a look that answers a list: where the input asks for it, the elements are sent one by one, as they come. */
  stream?: Stream<z.output<I>, Element<z.input<O>>>
  /** Of long work: the answer once that of these ids has settled. Without: the first answer stands. */
  settled?(context: QueryContext, input: z.output<I>, workIds: string[]): Promise<z.input<O>>
}

/** A declaration whose input and output types are forgotten, so that all operations fit one list. */
export type Operation = {
  [W in keyof Contexts]: Declaration<W, z.ZodObject, z.ZodType> & { word: W }
}[keyof Contexts]

const declare =
  <W extends keyof Contexts>(word: W) =>
  <I extends z.ZodObject, O extends z.ZodType>(declaration: Declaration<W, I, O>) =>
    ({ word, ...declaration }) as unknown as Operation

export const query = declare('query')
export const look = declare('look')
export const command = declare('command')
export const action = declare('action')

export const methodOf = ({ word }: Operation) => (word === 'query' || word === 'look' ? 'GET' : 'POST')
