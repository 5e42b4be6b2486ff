/** Logs in to registries for the operations, and turns errors of registries into refusals. */
import { type Code, refuse, refuseField } from '../errors.ts'
import type { Egress } from '../lib/net/egress.ts'
import {
  explain,
  type FaultKind,
  canInheritCredentials,
  openRegistry,
  RegistryFault,
} from '../lib/registry-client/registry.ts'
import { openRegistryPassword } from './queries.ts'
import type { RegistryTable } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/** The code of the refusal for each kind of error, and the field that caused the error. */
const refusals: Record<FaultKind, [Code, string]> = {
  credentials: ['BAD_REQUEST', 'password'],
  rights: ['BAD_REQUEST', 'username'],
  redirected: ['BAD_REQUEST', 'registryUrl'],
  notRegistry: ['BAD_REQUEST', 'registryUrl'],
  name: ['BAD_GATEWAY', 'registryUrl'],
  refused: ['BAD_GATEWAY', 'registryUrl'],
  unreachable: ['BAD_GATEWAY', 'registryUrl'],
  broken: ['BAD_GATEWAY', 'registryUrl'],
  tls: ['BAD_GATEWAY', 'registryUrl'],
  limited: ['BAD_GATEWAY', 'registryUrl'],
  unlisted: ['BAD_GATEWAY', 'registryUrl'],
  answer: ['BAD_GATEWAY', 'registryUrl'],
  egress: ['BAD_REQUEST', 'registryUrl'],
  proxy: ['BAD_GATEWAY', 'registryUrl'],
  timeout: ['GATEWAY_TIMEOUT', 'registryUrl'],
}

/** The values of a login. With `insecure`, any certificate is accepted. */
export interface Login {
  registryUrl: string
  username: string
  password: string
  insecure: boolean
}

/** Logs in to a registry. If the login fails, refuses with the field that caused the failure. */
export async function signIn({ registryUrl, username, password, insecure }: Login, egress: Egress) {
  using registry = openRegistry({ registryUrl, username, password }, { insecure, egress })
  return await registry.signIn(new AbortController().signal).catch(refuseRegistry)
}

/** Turns a RegistryFault into a refusal with the registry's message and the field concerned. Rethrows other errors. */
export function refuseRegistry(error: unknown): never {
  if (!(error instanceof RegistryFault)) throw error
  const [code, path] = refusals[error.kind]
  const message = explain(error)
  const { retryAfterSeconds } = error
  refuse(code, `${path}: ${message}`, {
    issues: [{ path, message }],
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  })
}

/** Returns a login with the stored password. Refuses if `registryUrl` is on another host than the stored URL. */
export function loginWithStoredPassword(
  vault: Vault,
  stored: RegistryTable,
  { registryUrl, username, insecure }: Omit<Login, 'password'>,
): Login {
  if (!canInheritCredentials(stored.registryUrl, registryUrl)) {
    const storedUrl = stored.registryUrl.trim() || 'Docker Hub'
    refuseField(
      'registryUrl',
      `is on another host than ${storedUrl}, for which the password is stored. ` +
        'Send the password for this address as well',
    )
  }
  return { registryUrl, username, insecure, password: openRegistryPassword(vault, stored) }
}
