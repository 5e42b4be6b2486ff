/** The names of the Swarm services that Berth runs in addition to databases. Pure. */

/**
 * Whether a name has the form of Berth's own services: gateways, the proxy and the registry. These names are defined in
 * databases/reconcile/specs.ts, routing/specs.ts, routing/caddy/launch.ts and registries/table.ts.
 */
export const isBerthServiceName = (name: string): boolean => /^berth-(?:gateway-|port-|proxy|registry)/.test(name)
