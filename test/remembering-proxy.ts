/**
 * A proxy that takes every configuration and serves nothing, for tests without Docker: rules are edited, configured and
 * stored as with the real one, which test/e2e/routing.test.ts and its neighbours ask.
 */
import { turnstile } from '../src/lib/turnstile.ts'
import { readRules } from '../src/store/routing.ts'
import { configsOf } from '../src/work/proxy-config.ts'
import type { ProxyWork } from '../src/work/proxy.ts'
import type { World } from '../src/work/world.ts'

export function rememberingProxy(world: World): ProxyWork {
  const inTurn = turnstile(1)
  return {
    turn: async () => undefined,
    change: (edit, commit) => inTurn(async () => {
      configsOf(world, '/proxy', edit(await readRules(world.db)))
      return commit()
    }),
  }
}
