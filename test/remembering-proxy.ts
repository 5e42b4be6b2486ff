/**
 * A proxy that takes every configuration and serves nothing, for tests without Docker: rules are edited, configured and
 * stored as with the real one, which test/e2e/routing.test.ts and its neighbours ask.
 */
import pLimit from 'p-limit'
import { refuse } from '../src/errors.ts'
import { readRules } from '../src/routing/queries.ts'
import { configsOf } from '../src/routing/proxy-config.ts'
import type { Loop } from '../src/lib/async/loop.ts'
import type { ProxyChanges } from '../src/routing/proxy-changes.ts'
import type { World } from '../src/runtime.ts'

export function rememberingProxy(world: World): { changes: ProxyChanges; loop: Loop<'proxy'> } {
  const inTurn = pLimit(1)
  const changes: ProxyChanges = {
    change: (edit, commit) =>
      inTurn(async () => {
        checkUsernames(configsOf(world, '/proxy', edit(await readRules(world.db))))
        return commit()
      }),
  }
  return { changes, loop: { name: 'proxy', periodMs: 5000, turn: async () => 'idle' } }
}

/** Caddy takes no configuration in which a username is there twice for one application. */
function checkUsernames(configs: unknown): void {
  JSON.stringify(configs, (key, value: unknown) => {
    const names = key === 'accounts' ? (value as { username: string }[]).map(({ username }) => username) : []
    if (new Set(names).size < names.length) refuse('BAD_REQUEST', 'account: username is not unique')
    return value
  })
}
