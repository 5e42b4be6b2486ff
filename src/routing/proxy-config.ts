/** Builds the Caddy configurations of the proxy's processes from the rules in the store. */
import { join } from 'node:path'
import type { CaddyConfig } from './caddy/caddy.ts'
import { describedFrom } from './caddy/described.ts'
import { frontConfig } from './caddy/front-config.ts'
import { keysConfig } from './caddy/keys-config.ts'
import { loopbackOf, type Part, placesIn } from './caddy/launch.ts'
import { type Application, rulesConfig, type Upstream } from './caddy/rules-config.ts'
import type { ServedPair } from './caddy/served.ts'
import { hostsOf, namesOf } from './application-lookup.ts'
import { openHash, openPairs, type Rules } from './queries.ts'
import type { ApplicationTable, SecurityTable } from './table.ts'
import { acmeRootsIn } from './acme-roots.ts'
import { type AcmeFiles, automaticNames, managedNames } from './issuance.ts'
import type { Runtime } from '../runtime.ts'

export type ProxyConfigs = Record<Part, CaddyConfig>

/**
 * Returns the configuration of each process.
 * @param folder the proxy's folder, from proxy-placement.ts
 */
export function configsOf(runtime: Runtime, folder: string, rules: Rules): ProxyConfigs {
  const { config, now } = runtime
  const places = placesIn(folder)
  const loopback = loopbackOf(folder)
  const acme = acmeFilesIn(folder)
  const sockets = { rulesSocket: places.rules, keysSocket: places.keys, challengesSocket: places.challenges }
  return {
    rules: rulesConfig({
      applications: applicationsOf(runtime, rules),
      publicHttpsPort: config.proxyHttpsPort,
      adminSocket: places.rulesAdmin,
      socket: places.rules,
    }),
    keys: keysConfig({
      pairs: pairsOf(runtime, rules),
      now: now(),
      acme: { ...config.acme, rootsFile: acmeRootsIn(folder, config)?.path ?? null },
      managed: managedNames(rules, now()),
      issued: automaticNames(rules, now()),
      adminSocket: places.keysAdmin,
      ...sockets,
      spareAddress: loopback.spare,
      storageFolder: acme.storage,
      acmeLog: acme.log,
    }),
    front: frontConfig({
      listen: listenOf(runtime),
      adminSocket: places.frontAdmin,
      ...sockets,
      certificates: { address: loopback.certificates, secret: secretOf(runtime) },
    }),
  }
}

/** Derived from the vault: nobody can guess it, and it never changes, so the front need not be reloaded. */
const secretOf = ({ vault, installationId }: Runtime): string =>
  vault.fingerprint({ table: 'proxy', column: 'secret', row: installationId }, 'certificates')

/** Where the process of keys stores its ACME certificates and its log about them. */
export const acmeFilesIn = (folder: string): AcmeFiles => ({
  storage: join(folder, 'keys', 'storage'),
  log: join(folder, 'keys', 'acme.log'),
})

function listenOf({ config }: Runtime) {
  return config.proxy === 'service'
    ? { host: '', httpPort: 80, httpsPort: 443 }
    : { host: '', httpPort: config.proxyHttpPort, httpsPort: config.proxyHttpsPort }
}

function pairsOf({ vault }: Runtime, { certificates }: Rules): ServedPair[] {
  return certificates.flatMap((row) => {
    const described = describedFrom(row.described)
    return openPairs(vault, row).map((pair, at) => ({ ...described[at]!, ...pair, id: `${row.id}-${at}` }))
  })
}

function applicationsOf(runtime: Runtime, rules: Rules): Application[] {
  const hosts = hostsOf(rules.applications)
  const redirects = Map.groupBy(rules.redirects, ({ applicationId }) => applicationId)
  const users = Map.groupBy(rules.users, ({ applicationId }) => applicationId)
  return rules.applications
    .filter(({ id }) => hosts.get(id)!.length > 0)
    .map((row) => ({
      hosts: hosts.get(row.id)!,
      tls: row.tls,
      upstream: upstreamOf(runtime, row),
      redirects: rulesFor(row, redirects).map(({ permanent, ...rest }) => ({ ...rest, permanent: permanent === 1 })),
      users: oldestOfEachName(rulesFor(row, users)).map((user) => ({
        username: user.username,
        passwordHash: openHash(runtime.vault, user),
      })),
    }))
}

function upstreamOf({ config }: Runtime, { name, port, replicas, addresses }: ApplicationTable): Upstream | null {
  // Looking up the name of a service without tasks fails, and takes long.
  if (config.proxy !== 'process') return replicas === 0 ? null : { service: name, port }
  const dial = (JSON.parse(addresses) as string[]).map((address) => `${address}:${port}`)
  return dial.length === 0 ? null : { dial }
}

/** Returns the rules about an application, in the order of creation. Rules may refer to it by id, name or label. */
function rulesFor<T extends { id: string }>(row: ApplicationTable, byName: Map<string, T[]>): T[] {
  return namesOf(row)
    .flatMap((name) => byName.get(name) ?? [])
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Removes duplicate usernames, which arise from rules under different names of one application. Caddy rejects
 * duplicates.
 */
function oldestOfEachName(users: SecurityTable[]): SecurityTable[] {
  return [...Map.groupBy(users, ({ username }) => username).values()].map(([oldest]) => oldest!)
}
