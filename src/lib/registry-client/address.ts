/**
 * Where a registry is, in whatever form its address is written, and which images are on it.
 * Does not know which registries there are.
 */
import { BlockList, isIP } from 'node:net'
import { parseImage } from '../text/image-reference.ts'

export interface RegistryAddress {
  /** As images are named: `registry.example.com:5000`; `docker.io` for Docker Hub. */
  host: string
  /** Where its API is to be looked for, in this order: URLs without a path. */
  origins: readonly string[]
  /** What the engine knows its credentials by. */
  authKey: string
}

const hub: RegistryAddress = {
  host: 'docker.io',
  origins: ['https://registry-1.docker.io'],
  authKey: 'https://index.docker.io/v1/',
}

/** Source: IndexHostname and IndexServer in moby's registry/config.go, and the names that its documentation uses. */
const hubNames: readonly string[] = ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.docker.io']
/** People mean the registry by them; images are not pulled from there. */
const hubPages: readonly string[] = ['hub.docker.com', 'registry.hub.docker.com', 'www.docker.com', 'docker.com']

const hostForm = '[^/?#@\\\\\\s:[\\]]+|\\[[0-9a-f:.]+\\]'
const form = new RegExp(`^(?:(?<scheme>https?)://)?(?<host>${hostForm})(?::(?<port>\\d{1,5}))?(?:/(?:v[12]/?)?)?$`, 'i')
const maxLength = 300

/**
 * A host with or without port and scheme, and with the ends that Docker's own tools write (`/v1/`, `/v2/`); nothing is
 * Docker Hub. Null: it is none of these. Without a scheme it is https; this machine alone is tried by http as well.
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
  // A default port of http that was written stands in the names of images as well.
  const named = port !== '' && Number(port) !== 443 ? `${url.hostname}:${Number(port)}` : url.hostname
  const isOpen = scheme === undefined && isLoopback(url.hostname)
  const origins = isOpen ? [url.origin, `http://${named}`] : [url.origin]
  return { host: named, origins, authKey: named }
}

/** The host under which images of it are named; null: it is no address of a registry. */
export const hostOf = (registryUrl: string): string | null => parseRegistry(registryUrl)?.host ?? null

/** The host of the registry that an image is on, as `hostOf` has it; null: it is no reference to an image. */
export function registryOf(image: string): string | null {
  const reference = parseImage(image)
  if (reference === null) return null
  const registry = reference.registry?.toLowerCase() ?? ''
  return hubPages.includes(registry) ? registry : hostOf(registry)
}

/**
 * An image that names no registry as it is named on that host, below the prefix. Null: Docker would not read it so. A
 * host without a dot and a port is a part of the path to it, and a name has an end.
 */
export function imageOn(host: string, imagePrefix: string | null, image: string): string | null {
  const placed = [host, imagePrefix ?? '', image].filter((part) => part !== '').join('/')
  return registryOf(placed) === host ? placed : null
}

/** What Docker speaks http with unasked. Source: loadInsecureRegistries in moby's registry/config.go. */
function isLoopback(hostname: string): boolean {
  const own = new BlockList()
  own.addSubnet('127.0.0.0', 8)
  own.addAddress('::1', 'ipv6')
  const plain = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(plain)
  return plain === 'localhost' || (family !== 0 && own.check(plain, family === 6 ? 'ipv6' : 'ipv4'))
}
