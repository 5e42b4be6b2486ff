/** The names of the Swarm services that Berth runs beside databases. Pure. */

/**
 * Whether Berth itself uses service names of this form: gateways, the proxy and the registry. Their names come from
 * routing/specs.ts, registries/table.ts and databases/reconcile/specs.ts.
 */
export const isBerthServiceName = (name: string): boolean => /^berth-(?:gateway-|port-|proxy|registry)/.test(name)
