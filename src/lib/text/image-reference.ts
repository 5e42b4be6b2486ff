/** Parses references to images: `postgres:15`, `registry.example.com:5000/team/postgres@sha256:...`. */

export interface ImageReference {
  /** The host as written, with its port. Null means Docker Hub. */
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
/** Docker treats such a name as the ID of an image. */
const idPattern = /^[a-f0-9]{64}$/

const maxNameLength = 255
/** The length of the longest valid reference: a name, a tag of 128 characters and a sha512 digest. */
const maxLength = maxNameLength + 1 + 128 + 1 + 7 + 128

/**
 * Returns the parts of a reference, or null if the text is not a reference. Sources: reference.go and regexp.go in
 * github.com/distribution/reference for the grammar and limits, splitDockerDomain in its normalize.go for the registry,
 * opencontainers/go-digest for the digest algorithms.
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

/**
 * The text before the first slash is a registry if it looks like a host. Otherwise it is the first part of the path.
 */
function splitRegistry(text: string): { registry: string | null; rest: string } {
  const slash = text.indexOf('/')
  const first = text.slice(0, Math.max(slash, 0))
  const isRegistry = first === 'localhost' || /[.:A-Z]/.test(first)
  return isRegistry ? { registry: first, rest: text.slice(slash + 1) } : { registry: null, rest: text }
}

/** Returns the reference as written, without its tag and digest. */
export function repositoryOf(reference: string): string {
  return reference.replace(/@.*$/, '').replace(/:[^:/]*$/, '')
}

/** Removes `docker.io/` or `index.docker.io/`, and the `library/` of official images. */
const short = (repository: string) => repository.replace(/^(?:index\.)?docker\.io\//, '').replace(/^library\//, '')

/** Whether two references name the same repository: `mysql` and `docker.io/library/mysql` do. */
export function sameRepository(a: string, b: string): boolean {
  return short(repositoryOf(a)) === short(repositoryOf(b))
}
