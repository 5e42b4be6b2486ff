/**
 * Upgrades a machine and kills itself after a step: killed-upgrade.ts ROOT ARCHIVE STEP. The environment is that of the
 * installed command.
 */
import { parseConfig } from '../../../src/config.ts'
import { layoutIn } from '../../../src/installation/release/layout.ts'
import { serviceOf } from '../../../src/installation/release/service.ts'
import { upgrade } from '../../../src/installation/release/upgrade.ts'

const [root, archive, lastStep] = process.argv.slice(2) as [string, string, string]
const layout = layoutIn(root)
await upgrade(
  {
    layout,
    config: parseConfig(process.env),
    service: serviceOf(layout),
    // Only this step needs a version that works.
    readyTimeoutMs: lastStep === 'confirmed' ? 60_000 : 1000,
    now: () => new Date(),
    say: () => undefined,
    reached: (step) => {
      if (step === lastStep) process.kill(process.pid, 'SIGKILL')
    },
  },
  archive,
)
