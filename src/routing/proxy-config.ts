/** Builds the Caddy configurations of the proxy's three processes from the rules in the store. */
import { join } from 'node:path'
import type { CaddyConfig } from './caddy/caddy.ts'
import { describedFrom } from './caddy/described.ts'
import { frontConfig } from './caddy/front-config.ts'
import { keysConfig } from './caddy/keys-config.ts'
import { loopbackOf, type ProcessName, socketPathsIn } from './caddy/launch.ts'
import { type Application, rulesConfig, type Upstream } from './caddy/rules-config.ts'
import type { ServedPair } from './caddy/served.ts'
import { hostsOf, namesOf } from './application-lookup.ts'
import { openHash, openPairs, type Rules } from './queries.ts'
import type { ApplicationTable, SecurityTable } from './table.ts'
import { acmeRootsIn } from './acme-roots.ts'
import { type AcmeFiles, automaticNames, managedNames } from './issuance.ts'
import { networkText } from '../lib/net/networks.ts'
import type { Runtime } from '../runtime.ts'

export type ProxyConfigs = Record<ProcessName, CaddyConfig>

/**
 * Returns the configuration of each process.
 * @param folder the proxy's folder, from proxy-placement.ts
 */
export function configsOf(runtime: Runtime, folder: string, rules: Rules): ProxyConfigs {
  const { config, now } = runtime
  const socketPaths = socketPathsIn(folder)
  const loopback = loopbackOf(folder)
  const acme = acmeFilesIn(folder)
  const sockets = {
    rulesSocket: socketPaths.rules,
    keysSocket: socketPaths.keys,
    challengesSocket: socketPaths.challenges,
  }
  return {
    rules: rulesConfig({
      applications: applicationsOf(runtime, rules),
      publicHttpsPort: config.proxyHttpsPort,
      adminSocket: socketPaths.rulesAdmin,
      socket: socketPaths.rules,
    }),
    keys: keysConfig({
      pairs: pairsOf(runtime, rules),
      now: now(),
      acme: { ...config.acme, rootsFile: acmeRootsIn(folder, config)?.path ?? null },
      managed: managedNames(rules, now()),
      issued: automaticNames(rules, now()),
      adminSocket: socketPaths.keysAdmin,
      ...sockets,
      spareAddress: loopback.spare,
      storageFolder: acme.storage,
      acmeLog: acme.log,
    }),
    front: frontConfig({
      listen: listenOf(runtime),
      adminSocket: socketPaths.frontAdmin,
      ...sockets,
      certificates: { address: loopback.certificates, secret: secretOf(runtime) },
      trustedProxies: config.trustedProxies.map(networkText),
    }),
  }
}

/**
 * Returns the secret that `front` sends to its own certificate server. The secret is derived from the vault, so it
 * never changes and `front` need not be reloaded.
 */
const secretOf = ({ vault, installationId }: Runtime): string =>
  vault.fingerprint({ table: 'proxy', column: 'secret', row: installationId }, 'certificates')

/** Returns where the process `keys` stores ACME certificates and the log of the ACME orders. */
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
      preflight: row.preflight,
      upstream: upstreamOf(runtime, row),
      redirects: rulesFor(row, redirects).map(({ permanent, ...rest }) => ({ ...rest, permanent: permanent === 1 })),
      users: oldestOfEachName(rulesFor(row, users)).map((user) => ({
        username: user.username,
        passwordHash: openHash(runtime.vault, user),
      })),
    }))
}

function upstreamOf({ config }: Runtime, { name, port, replicas, addresses }: ApplicationTable): Upstream | null {
  // The DNS lookup of a service without tasks takes long and fails, so Caddy gets no upstream for it.
  if (config.proxy !== 'process') return replicas === 0 ? null : { service: name, port }
  const dial = (JSON.parse(addresses) as string[]).map((address) => `${address}:${port}`)
  return dial.length === 0 ? null : { dial }
}

/**
 * Returns the rules about an application, in the order of creation.
 * @param byName rules by the id, name or label with which they refer to an application
 */
function rulesFor<T extends { id: string }>(row: ApplicationTable, byName: Map<string, T[]>): T[] {
  return namesOf(row)
    .flatMap((name) => byName.get(name) ?? [])
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Returns the oldest user of each username, because Caddy rejects duplicates. Duplicates exist if users were created
 * under different names of one application.
 */
function oldestOfEachName(users: SecurityTable[]): SecurityTable[] {
  return [...Map.groupBy(users, ({ username }) => username).values()].map(([oldest]) => oldest!)
}
