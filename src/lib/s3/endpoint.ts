/** Validates endpoints and bucket names, and says how requests to a provider name the bucket. Pure functions. */
import { maxParts } from './parts.ts'

/**
 * Parses an endpoint. A host without a scheme gets https. Returns null if the text is not a host or an http or https
 * URL, or if the URL contains credentials, a query, a fragment, a backslash or white space.
 */
export function endpointUrl(text: string): URL | null {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  const hasRefusedPart = url.username !== '' || url.password !== '' || /[?#\\\s]/.test(text)
  return hasRefusedPart || !hostPattern.test(url.hostname) ? null : url
}

/** One label of a DNS name. */
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
/** A DNS name or an IP address. `URL` has converted the host name to lower case and Punycode before the test. */
const hostPattern = new RegExp(`^(?:\\[[0-9a-f:.]+\\]|(?=.{1,253}$)${label}(?:\\.${label})*\\.?)$`)

/** Hosts of storage providers that require or prefer the bucket in the host name. Others support it in the path. */
const virtualHostProviders = /\.(?:amazonaws\.com|amazonaws\.com\.cn|aliyuncs\.com|myqcloud\.com)$/

/** A bucket name that can be one label of a host name. */
const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Whether requests name the bucket in the path instead of in the host name. A bucket name with a dot always needs path
 * style, because a wildcard certificate covers only one label before the provider's host name. Capitals and underscores
 * need it, because host names do not have them.
 */
export const wantsPathStyle = (endpoint: URL, bucket: string): boolean =>
  !hostLabel.test(bucket) || !virtualHostProviders.test(endpoint.hostname)

/**
 * How many parts the provider allows in one upload.
 * Source: scaleway.com/en/docs/object-storage/api-cli/multipart-uploads (1,000); the others allow `maxParts`.
 */
export const maxPartsOf = (endpoint: URL): number => (/\.scw\.cloud$/.test(endpoint.hostname) ? 1000 : maxParts)

/**
 * Whether the text can be the name of a bucket. Accepts more than Amazon does today: Backblaze B2 and Oracle allow
 * capitals, Oracle and older buckets of Amazon underscores, Google up to 222 characters. The storage decides.
 * Source: docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
 */
export const isBucketName = (text: string): boolean => /^(?!\.*$)[A-Za-z0-9._-]{3,255}$/.test(text)

/**
 * An endpoint that a provider's page shows for one bucket has the bucket in its path or its host name. Returns the endpoint
 * without it; null if it does not contain the bucket.
 */
export function withoutBucket(endpoint: URL, bucket: string): URL | null {
  const rest = new URL(endpoint)
  const segments = endpoint.pathname.split('/').filter((segment) => segment !== '')
  if (segments.at(-1) === bucket) {
    rest.pathname = segments.slice(0, -1).join('/')
    return rest
  }
  const prefix = `${bucket.toLowerCase()}.`
  // A host name of one label is not the name of a storage.
  if (!endpoint.hostname.startsWith(prefix) || !endpoint.hostname.slice(prefix.length).includes('.')) return null
  rest.hostname = endpoint.hostname.slice(prefix.length)
  return rest
}
