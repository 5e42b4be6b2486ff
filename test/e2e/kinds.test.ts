/** Runs the suite of kind-suite.ts for all kinds on one Berth and one swarm, three kinds at a time. */
import { after, before, describe } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { clients } from './clients.ts'
import { kindSuite } from './kind-suite.ts'
import { onSwarm, type Swarm } from './swarm.ts'

let berth: Swarm
before(async () => {
  berth = await onSwarm()
})
after(() => berth[Symbol.asyncDispose]())

describe('all kinds', { concurrency: 3 }, () => {
  for (const kind of kinds) kindSuite(kind, clients[kind.name]!, () => berth)
})
