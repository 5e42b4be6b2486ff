/** Rules of the store -> the configurations of the proxy's two processes. */
import { join } from 'node:path'
import type { CaddyConfig } from '../proxy/caddy.ts'
import { describedFrom } from '../proxy/described.ts'
import { frontConfig } from '../proxy/front-config.ts'
import { placesIn } from '../proxy/launch.ts'
import { type Application, rulesConfig, type Upstream } from '../proxy/rules-config.ts'
import type { ServedPair } from '../proxy/served.ts'
import { hostsOf, namesOf } from '../store/applications.ts'
import { openHash, openPairs, type Rules } from '../store/routing.ts'
import type { ApplicationTable } from '../store/routing-schema.ts'
import { acmeRootsIn } from './acme-roots.ts'
import { type AcmeFiles, managedNames } from './issuance.ts'
import type { World } from './world.ts'

export interface ProxyConfigs { front: CaddyConfig; rules: CaddyConfig }

/** `folder`: the proxy's, see proxy-home.ts. */
export function configsOf(world: World, folder: string, rules: Rules): ProxyConfigs {
  const { config, now } = world
  const rootsFile = acmeRootsIn(folder, config)?.path ?? null
  const places = placesIn(folder)
  const acme = acmeFilesIn(folder)
  return {
    rules: rulesConfig({
      applications: applicationsOf(world, rules), publicHttpsPort: config.proxyHttpsPort,
      adminSocket: places.rulesAdmin, socket: places.rules,
    }),
    front: frontConfig({
      listen: listenOf(world), pairs: pairsOf(world, rules), now: now(), acme: { ...config.acme, rootsFile },
      managed: managedNames(rules, now()), adminSocket: places.frontAdmin, rulesSocket: places.rules,
      storageFolder: acme.storage, acmeLog: acme.log,
    }),
  }
}

/** Where the front keeps what it got by ACME, and what it says of that. */
export const acmeFilesIn = (folder: string): AcmeFiles =>
  ({ storage: join(folder, 'front', 'storage'), log: join(folder, 'front', 'acme.log') })

function listenOf({ config }: World) {
  return config.proxy === 'service' ? { host: '', httpPort: 80, httpsPort: 443 }
    : { host: '', httpPort: config.proxyHttpPort, httpsPort: config.proxyHttpsPort }
}

function pairsOf({ vault }: World, { certificates }: Rules): ServedPair[] {
  return certificates.flatMap((row) => {
    const described = describedFrom(row.described)
    return openPairs(vault, row).map((pair, at) => ({ ...described[at]!, ...pair, id: `${row.id}-${at}` }))
  })
}

function applicationsOf(world: World, rules: Rules): Application[] {
  const hosts = hostsOf(rules.applications)
  const redirects = Map.groupBy(rules.redirects, ({ applicationId }) => applicationId)
  const users = Map.groupBy(rules.users, ({ applicationId }) => applicationId)
  return rules.applications.filter(({ id }) => hosts.get(id)!.length > 0).map((row) => ({
    hosts: hosts.get(row.id)!, tls: row.tls, upstream: upstreamOf(world, row),
    redirects: ofAll(row, redirects).map(({ permanent, ...rest }) => ({ ...rest, permanent: permanent === 1 })),
    users: ofAll(row, users).map((user) => ({ username: user.username, passwordHash: openHash(world.vault, user) })),
  }))
}

function upstreamOf({ config }: World, { name, port, replicas, addresses }: ApplicationTable): Upstream | null {
  // A name of which there are no tasks is looked up in vain, and long.
  if (config.proxy !== 'process') return replicas === 0 ? null : { service: name, port }
  const dial = (JSON.parse(addresses) as string[]).map((address) => `${address}:${port}`)
  return dial.length === 0 ? null : { dial }
}

/** In the order of creation, under whichever of its names they were made. */
function ofAll<T extends { id: string }>(row: ApplicationTable, byName: Map<string, T[]>): T[] {
  return namesOf(row).flatMap((name) => byName.get(name) ?? []).sort((a, b) => (a.id < b.id ? -1 : 1))
}
