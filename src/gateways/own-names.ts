/** The names of the Swarm services that Berth runs in addition to databases. Pure. */

/**
 * Whether a name has the form of Berth's own services: gateways, the proxy and the registry. The names of the proxy and
 * of the registry are defined in routing/caddy/launch.ts and registries/table.ts.
 */
export const isBerthServiceName = (name: string): boolean => /^berth-(?:gateway-|port-|proxy|registry)/.test(name)

/** What a gateway belongs to: a database with an external port, or a published port of an application. */
export interface GatewayOwner {
  kind: 'database' | 'port'
  id: string
}

const prefixes = { database: 'berth-gateway-', port: 'berth-port-' } as const

export const gatewayNameOf = ({ kind, id }: GatewayOwner): string => prefixes[kind] + id

/** The owner of the gateway with this name; null if the name is none of a gateway. */
export function gatewayOwnerOf(name: string): GatewayOwner | null {
  const kind = (['database', 'port'] as const).find((each) => name.startsWith(prefixes[each]))
  return kind === undefined ? null : { kind, id: name.slice(prefixes[kind].length) }
}
