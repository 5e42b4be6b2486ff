/** Runs the suite of fault-suite.ts for the representative kinds concurrently, on one Berth and one swarm. */
import { after, before, describe } from 'node:test'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { clients } from './clients.ts'
import { faultSuite } from './fault-suite.ts'
import { representative } from './representative.ts'
import { onSwarm, type Swarm } from './swarm.ts'

let berth: Swarm
before(async () => {
  berth = await onSwarm()
})
after(() => berth[Symbol.asyncDispose]())

describe('faults', { concurrency: true }, () => {
  const [postgres, others] = [kindNamed('postgres'), kinds.filter(({ name }) => name !== 'postgres')]
  for (const kind of representative([postgres, ...others])) faultSuite(kind, clients[kind.name]!, () => berth)
})
