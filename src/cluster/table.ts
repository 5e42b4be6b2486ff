/** The table of the cluster's nodes. */
import type { Flag, Time } from '../store/column-types.ts'

/** The last observed state of a node, and its removal or drain in progress. */
export interface NodeTable {
  /** The swarm's id of the node. */
  id: string
  hostname: string
  state: string
  /** When the node was first observed in this state. */
  since: Time
  /** The deployment of the removal or drain in progress; null if there is none. */
  deploymentId: string | null
  /** 1: the removal in progress accepts the loss of the data on the node. 0 without a removal. */
  force: Flag
  /** The availability before the removal in progress. It is restored if the removal fails. Empty without a removal. */
  availability: string
}
