/** The table of the cluster's nodes; see schema.ts. */
import type { Flag, Time } from '../store/column-types.ts'

/** What was last seen of a node, and the work of its removal. */
export interface NodeTable {
  /** The swarm's. */
  id: string
  hostname: string
  state: string
  /** When it was first seen in that state. */
  since: Time
  /** The removal under way; null without. */
  deploymentId: string | null
  /** Of the removal: what is pinned there is given up. */
  force: Flag
  /** Of the removal: what the node had before, and gets back where it fails; '' without one. */
  availability: string
}
