/** The suite of test/e2e/fault-suite.ts over all kinds, on one Berth and one swarm at the same time. */
import { after, before, describe } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { clients } from './clients.ts'
import { faultSuite } from './fault-suite.ts'
import { onSwarm, type Swarm } from './swarm.ts'

let berth: Swarm
before(async () => { berth = await onSwarm() })
after(() => berth[Symbol.asyncDispose]())

describe('faults', { concurrency: true }, () => {
  for (const kind of kinds) faultSuite(kind, clients[kind.name]!, () => berth)
})
