/** Where a bucket is: what an endpoint may be, and in which of the two styles its buckets are addressed. Pure. */

/** The endpoint as a URL; null where it is neither a URL of http or https nor a host, which is reached by https. */
export function endpointUrl(text: string): URL | null {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  const hasMore = url.username !== '' || url.password !== '' || /[?#\\\s]/.test(text)
  return hasMore || !hostPattern.test(url.hostname) ? null : url
}

/** A name as DNS has it, or an address; URL has made lower case of it, and Punycode of other alphabets. */
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostPattern = new RegExp(`^(?:\\[[0-9a-f:.]+\\]|(?=.{1,253}$)${label}(?:\\.${label})*\\.?)$`)

/** Storages that want the bucket in the host's name, or prefer it; all others know it by the path. */
const virtualHosts = /\.(?:amazonaws\.com|amazonaws\.com\.cn|aliyuncs\.com|myqcloud\.com)$/

/** A dot in the bucket's name would not fit the certificate. */
export const wantsPathStyle = (endpoint: URL, bucket: string): boolean =>
  bucket.includes('.') || !virtualHosts.test(endpoint.hostname)

/** docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
export function isBucketName(text: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) && !text.includes('..') && !/^\d+\.\d+\.\d+\.\d+$/.test(text)
}
