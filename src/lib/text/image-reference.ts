/**
 * Reads references to images: `postgres:15`, `registry.example.com:5000/team/postgres@sha256:...`.
 * Does not know which registries or images exist.
 */

export interface ImageReference {
  /** The host as it was written, with its port; null: Docker Hub. */
  registry: string | null
  path: string
  tag: string | null
  digest: string | null
}

const domainPart = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?'
const domainName = `${domainPart}(?:\\.${domainPart})*`
const pathPart = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const path = `(?<path>${pathPart}(?:/${pathPart})*)`
const tag = '(?::(?<tag>[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}))?'
const digest = '(?:@(?<digest>sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}))?'

const registryPattern = new RegExp(`^(?:${domainName}|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`)
const restPattern = new RegExp(`^${path}${tag}${digest}$`)
/** Docker takes such a name for an image's id. */
const idPattern = /^[a-f0-9]{64}$/

const maxNameLength = 255
/** A name, a tag of 128 and a sha512 digest: nothing longer needs to be looked at. */
const maxLength = maxNameLength + 1 + 128 + 1 + 7 + 128

/**
 * The parts of a reference; null where it is none. Source: the grammar and limits in github.com/distribution/reference,
 * reference.go and regexp.go; what is a registry by splitDockerDomain in its normalize.go; the digests are the ones
 * registered in opencontainers/go-digest.
 */
export function parseImage(text: string): ImageReference | null {
  if (text.length > maxLength || idPattern.test(text)) return null
  const { registry, rest } = splitRegistry(text)
  if (registry !== null && !registryPattern.test(registry)) return null
  const parts = restPattern.exec(rest)?.groups
  if (parts?.path === undefined) return null
  if ((registry === null ? 0 : registry.length + 1) + parts.path.length > maxNameLength) return null
  return { registry, path: parts.path, tag: parts.tag ?? null, digest: parts.digest ?? null }
}

/** What is before the first slash is a registry where it looks like a host, and the first part of a path otherwise. */
function splitRegistry(text: string): { registry: string | null; rest: string } {
  const slash = text.indexOf('/')
  const first = text.slice(0, Math.max(slash, 0))
  const isRegistry = first === 'localhost' || /[.:A-Z]/.test(first)
  return isRegistry ? { registry: first, rest: text.slice(slash + 1) } : { registry: null, rest: text }
}

/** The reference without its tag and digest, as it was written. */
export function repositoryOf(reference: string): string {
  return reference.replace(/@.*$/, '').replace(/:[^:/]*$/, '')
}

/** Docker Hub has several names, and its own images one more. */
const short = (repository: string) => repository.replace(/^(?:index\.)?docker\.io\//, '').replace(/^library\//, '')

export function sameRepository(a: string, b: string): boolean {
  return short(repositoryOf(a)) === short(repositoryOf(b))
}
