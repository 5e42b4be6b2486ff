/** Validates endpoints and bucket names, and chooses path style or virtual-host style for a bucket. Pure functions. */

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

/**
 * Whether requests name the bucket in the path instead of in the host name. A bucket name with a dot always needs path
 * style, because a wildcard certificate covers only one label before the provider's host name.
 */
export const wantsPathStyle = (endpoint: URL, bucket: string): boolean =>
  bucket.includes('.') || !virtualHostProviders.test(endpoint.hostname)

/**
 * Whether the text has the length, characters and form of a bucket name. Accepts the prefixes and suffixes that Amazon
 * reserves.
 * Source: docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
 */
export function isBucketName(text: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) && !text.includes('..') && !/^\d+\.\d+\.\d+\.\d+$/.test(text)
}
