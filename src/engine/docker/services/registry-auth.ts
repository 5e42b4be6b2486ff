/** Credentials of registries in the form that Docker's API takes them in. Does not know where they come from. */
import type { CredentialsFor } from '../../engine.ts'

/** Padded: another text some engines take for none, and say nothing. */
function headerOf(auth: object): Record<string, string> {
  const text = Buffer.from(JSON.stringify(auth)).toString('base64')
  return { 'x-registry-auth': text.replaceAll('+', '-').replaceAll('/', '_') }
}

/** For a call that pulls this image, or has it pulled; empty: without credentials. */
export async function authHeader(credentialsFor: CredentialsFor, image: string): Promise<Record<string, string>> {
  const found = await credentialsFor(image)
  if (found === null) return {}
  const { username, password, serverAddress } = found
  return headerOf({ username, password, serveraddress: serverAddress })
}

/** The same for an update, where no header means those that the service had: they may be another registry's. */
export async function authHeaderAnew(credentialsFor: CredentialsFor, image: string): Promise<Record<string, string>> {
  const header = await authHeader(credentialsFor, image)
  return 'x-registry-auth' in header ? header : headerOf({})
}
