/** Encodes registry credentials as the header `X-Registry-Auth` of Docker's API. */
import type { CredentialsFor } from '../../engine.ts'

/** Encodes URL-safe base64 with padding. Some engines ignore a header without padding and report no error. */
function headerOf(auth: object): Record<string, string> {
  const text = Buffer.from(JSON.stringify(auth)).toString('base64')
  return { 'x-registry-auth': text.replaceAll('+', '-').replaceAll('/', '_') }
}

/** Returns the header for a call that pulls this image; no header if there are no credentials. */
export async function authHeader(credentialsFor: CredentialsFor, image: string): Promise<Record<string, string>> {
  const credentials = await credentialsFor(image)
  if (credentials === null) return {}
  const { username, password, serverAddress } = credentials
  return headerOf({ username, password, serveraddress: serverAddress })
}

/**
 * Returns the header for a service update. The header is present even if there are no credentials: without a header,
 * the service would keep its previous credentials, which may belong to another registry.
 */
export async function authHeaderForUpdate(
  credentialsFor: CredentialsFor,
  image: string,
): Promise<Record<string, string>> {
  const header = await authHeader(credentialsFor, image)
  return 'x-registry-auth' in header ? header : headerOf({})
}
