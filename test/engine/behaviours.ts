/** How the containers of the engine suite behave on a real engine. */
import { clearedHealth } from '../../src/engine/data/clearance.ts'
import { healthCheck } from '../../src/kinds/health.ts'

export const behaviours = {
  crashes: { args: ['sh', '-c', 'echo last line >&2; exit 3'] },
  'exceeds memory': { args: ['sh', '-c', 'x=0123456789abcdef; while :; do x=$x$x; done'] },
  'waits for its clearance': { health: clearedHealth(healthCheck('answers() { true; }'), '/data', 'c1ea') },
}
