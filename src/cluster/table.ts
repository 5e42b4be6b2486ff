/** The table of the cluster's nodes; see store/schema.ts. */
import type { Flag, Time } from '../store/column-types.ts'

/** The last observed state of a node, and its removal in progress. */
export interface NodeTable {
  /** The swarm's id of the node. */
  id: string
  hostname: string
  state: string
  /** When the node was first observed in this state. */
  since: Time
  /** The deployment of the removal in progress; null if there is none. */
  deploymentId: string | null
  /** Removal: whether data on the node is given up. */
  force: Flag
  /** Removal: the availability before it, which is restored if the removal fails; '' without a removal. */
  availability: string
}
