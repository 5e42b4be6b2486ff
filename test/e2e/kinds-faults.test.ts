/** Runs the suite of fault-suite.ts for PostgreSQL, or for all kinds concurrently if BERTH_TEST_ALL is set. */
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
