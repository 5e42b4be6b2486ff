/**
 * A proxy that takes every configuration and serves nothing, for tests without Docker: rules are edited, configured and
 * stored as with the real one, which test/e2e/routing.test.ts and its neighbours ask.
 */
import pLimit from 'p-limit'
import { refuse } from '../src/errors.ts'
import { readRules } from '../src/store/routing.ts'
import { configsOf } from '../src/work/proxy-config.ts'
import type { ProxyWork } from '../src/work/proxy.ts'
import type { World } from '../src/work/world.ts'

export function rememberingProxy(world: World): ProxyWork {
  const oneAtATime = pLimit(1)
  return {
    turn: async () => undefined,
    change: (edit, commit) =>
      oneAtATime(async () => {
        checkUsernames(configsOf(world, '/proxy', edit(await readRules(world.db))))
        return commit()
      }),
  }
}

/** Caddy takes no configuration in which a username is there twice for one application. */
function checkUsernames(configs: unknown): void {
  JSON.stringify(configs, (key, value: unknown) => {
    const names = key === 'accounts' ? (value as { username: string }[]).map(({ username }) => username) : []
    if (new Set(names).size < names.length) refuse('BAD_REQUEST', 'account: username is not unique')
    return value
  })
}
