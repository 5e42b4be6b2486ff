/** Faults of the engine that are over soon; those that take their time are in engine.long.ts. */
import { describe } from 'node:test'
import { engineFault } from './engine-suite.ts'

describe('an engine that answers badly', { concurrency: true }, () => {
  engineFault('fail', /something broke/)
  engineFault('cut', /The engine does not answer/)
})
