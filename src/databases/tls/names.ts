/** The names and addresses in the certificate of a database. Pure. */
import { isIP } from 'node:net'
import type { Config } from '../../config.ts'
import { coversHost, isTlsName } from '../../lib/text/tls-name.ts'

/** What the names depend on. */
export interface Named {
  appName: string
  /** The names of the user's own, `tlsNames`. */
  tlsNames: readonly string[]
  nodeName: string
  nodeAddress: string
}

/** The names by which tunnels and programs on the machine of a client reach a database. */
const localNames = ['localhost', '127.0.0.1', '::1']

/**
 * Returns the names and addresses by which clients reach a database: the name of its service on Berth's network, the
 * node, the public host, the default names of the installation, those of the user, and those of the own machine, for
 * tunnels. The order is fixed, and no name occurs twice. Left out are names that cover the host of Berth itself: whoever
 * reads the key of a database could pass as Berth.
 */
export function certificateNames(
  { appName, tlsNames, nodeName, nodeAddress }: Named,
  { publicHost, publicUrl, tlsNames: defaults }: Pick<Config, 'publicHost' | 'publicUrl' | 'tlsNames'>,
): string[] {
  const further = [nodeName, nodeAddress, publicHost ?? '', ...defaults, ...tlsNames].filter(isTlsName)
  const isOfBerth = (name: string) => publicUrl !== null && coversHost(name, publicUrl.host)
  const names = [`tasks.${appName}`, ...further.map(normalized)].filter((name) => !isOfBerth(name))
  return [...new Set([appName, ...names, ...localNames])]
}

/** One spelling for equal names: lower case, and the short form of IPv6 addresses. */
function normalized(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase()
}

/** Splits names into those that a certificate lists as DNS names and those that it lists as addresses. */
export function alternativeNames(names: readonly string[]): { dnsNames: string[]; ipAddresses: string[] } {
  return { dnsNames: names.filter((name) => isIP(name) === 0), ipAddresses: names.filter((name) => isIP(name) !== 0) }
}
