/** Parses addresses of registries, and finds the registry of an image. */
import { BlockList, isIP } from 'node:net'
import { parseImage } from '../text/image-reference.ts'

export interface RegistryAddress {
  /** The host as in names of images: `registry.example.com:5000`, or `docker.io` for Docker Hub. */
  host: string
  /** The URLs, without a path, at which to try the API, in this order. */
  origins: readonly string[]
  /** The key under which the engine stores the credentials. */
  authKey: string
}

const hub: RegistryAddress = {
  host: 'docker.io',
  origins: ['https://registry-1.docker.io'],
  authKey: 'https://index.docker.io/v1/',
}

/** Sources: IndexHostname and IndexServer in moby's registry/config.go, and Docker's documentation. */
const hubNames: readonly string[] = ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.docker.io']
/** Names that people use for Docker Hub although images are not pulled from there. */
const hubPages: readonly string[] = ['hub.docker.com', 'registry.hub.docker.com', 'www.docker.com', 'docker.com']

const hostForm = '[^/?#@\\\\\\s:[\\]]+|\\[[0-9a-f:.]+\\]'
const form = new RegExp(`^(?:(?<scheme>https?)://)?(?<host>${hostForm})(?::(?<port>\\d{1,5}))?(?:/(?:v[12]/?)?)?$`, 'i')
const maxLength = 300

/**
 * Parses a host with optional port and scheme, and with an optional `/v1/` or `/v2/` as Docker's tools write it. An
 * empty text means Docker Hub. Returns null for an invalid address. The default scheme is https. For a loopback
 * address without a scheme, http is tried after https.
 */
export function parseRegistry(registryUrl: string): RegistryAddress | null {
  const text = registryUrl.trim()
  if (text === '') return hub
  const parts = text.length > maxLength ? undefined : form.exec(text)?.groups
  if (parts === undefined) return null
  const { scheme, host = '', port = '' } = parts
  const url = URL.parse(`${scheme ?? 'https'}://${host}${port === '' ? '' : `:${port}`}`)
  if (url === null || (port !== '' && Number(port) === 0)) return null
  if (url.port === '' && [...hubNames, ...hubPages].includes(url.hostname)) return hub
  // Port 80 is kept if it was written, because names of images contain it too.
  const imageHost = port !== '' && Number(port) !== 443 ? `${url.hostname}:${Number(port)}` : url.hostname
  const canUseHttp = scheme === undefined && isLoopback(url.hostname)
  const origins = canUseHttp ? [url.origin, `http://${imageHost}`] : [url.origin]
  return { host: imageHost, origins, authKey: imageHost }
}

/**
 * Splits the address of a group of images, such as `registry.gitlab.com/acme/shop`, which is not the address of a registry.
 * @returns the registry, empty for Docker Hub, and the path of the group; null if the text has no such form
 */
export function splitGroup(text: string): { registryUrl: string; prefix: string } | null {
  const slash = text
    .trim()
    .replace(/\/+$/, '')
    .indexOf('/', text.includes('://') ? text.indexOf('://') + 3 : 0)
  if (slash < 0) return null
  const registryUrl = text.trim().slice(0, slash)
  const address = registryUrl === '' ? null : parseRegistry(registryUrl)
  const prefix = text
    .trim()
    .slice(slash)
    .replace(/^\/+(?:v[12](?:\/|$))?/i, '')
    .replace(/\/+$/, '')
  if (address === null || prefix === '') return null
  return { registryUrl: address === hub ? '' : registryUrl, prefix }
}

/** Returns the host as in names of images, or null for an invalid address. */
export const hostOf = (registryUrl: string): string | null => parseRegistry(registryUrl)?.host ?? null

/**
 * Returns the host of an image's registry in the form of `hostOf`, or null for an invalid reference. A host such as
 * `hub.docker.com` is kept, because Docker does not pull from Docker Hub by this name.
 */
export function registryOf(image: string): string | null {
  const reference = parseImage(image)
  if (reference === null) return null
  const registry = reference.registry?.toLowerCase() ?? ''
  return hubPages.includes(registry) ? registry : hostOf(registry)
}

/**
 * Returns the reference to an image on a registry, for an image that names no registry itself. Returns null if Docker
 * would not read the result as an image on this host: a host without a dot or a port, except localhost, is read as a
 * part of the path, and the length of a name is limited.
 */
export function imageOn(host: string, imagePrefix: string | null, image: string): string | null {
  const reference = [host, imagePrefix ?? '', image].filter((part) => part !== '').join('/')
  return registryOf(reference) === host ? reference : null
}

/** Docker uses http for loopback addresses by default. Source: loadInsecureRegistries in moby's registry/config.go. */
function isLoopback(hostname: string): boolean {
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8)
  loopback.addAddress('::1', 'ipv6')
  const plain = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(plain)
  return plain === 'localhost' || (family !== 0 && loopback.check(plain, family === 6 ? 'ipv6' : 'ipv4'))
}
