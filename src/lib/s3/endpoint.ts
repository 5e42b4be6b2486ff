/** Validates endpoints and names of buckets, and chooses path style or virtual-host style for a bucket. Pure. */

/** Returns the endpoint as a URL, https for a plain host. Returns null for neither a host nor an http or https URL. */
export function endpointUrl(text: string): URL | null {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  const hasMore = url.username !== '' || url.password !== '' || /[?#\\\s]/.test(text)
  return hasMore || !hostPattern.test(url.hostname) ? null : url
}

/** A DNS name or an address, after URL has converted it to lower case and Punycode. */
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostPattern = new RegExp(`^(?:\\[[0-9a-f:.]+\\]|(?=.{1,253}$)${label}(?:\\.${label})*\\.?)$`)

/** Storages that require or prefer the bucket in the host name. All others support the bucket in the path. */
const virtualHosts = /\.(?:amazonaws\.com|amazonaws\.com\.cn|aliyuncs\.com|myqcloud\.com)$/

/** A bucket name with a dot needs path style: as a host name it would not match the wildcard certificate. */
export const wantsPathStyle = (endpoint: URL, bucket: string): boolean =>
  bucket.includes('.') || !virtualHosts.test(endpoint.hostname)

/** Source: docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
export function isBucketName(text: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) && !text.includes('..') && !/^\d+\.\d+\.\d+\.\d+$/.test(text)
}
