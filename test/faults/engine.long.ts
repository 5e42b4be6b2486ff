/** The suite of engine-suite.ts over all ways in which an engine can answer badly. */
import { describe } from 'node:test'
import { engineFault, engineFaults } from './engine-suite.ts'

describe('an engine that answers badly', { concurrency: 3 }, () => {
  engineFault('fail', /something broke/)
  engineFault('cut', /The engine does not answer/)
  engineFault('stall', /did not answer|within/)
  engineFault('garbage', /The engine does not answer/)
  engineFault('page', /not JSON/)
  engineFault('hang up', /The engine does not answer/)
  engineFaults(20)
})
