/** Logging in to registries for real, for their operations: which login is tried, and in what words it fails. */
import { type Code, refuse, refuseField } from '../errors.ts'
import type { Egress } from '../lib/net/egress.ts'
import { explain, type FaultKind, mayInherit, openRegistry, RegistryFault } from '../lib/registry-client/registry.ts'
import { openRegistryPassword } from './queries.ts'
import type { RegistryTable } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/** How each fault is refused, and which field it is about. */
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
  timeout: ['GATEWAY_TIMEOUT', 'registryUrl'],
}

export interface Login {
  registryUrl: string
  username: string
  password: string
  insecure: boolean
}

/** Refuses, by its field, what the registry does not take. */
export async function signIn({ registryUrl, username, password, insecure }: Login, egress: Egress) {
  using registry = openRegistry({ registryUrl, username, password }, { insecure, egress })
  return await registry.signIn(new AbortController().signal).catch(refuseRegistry)
}

/** For what a registry throws: in its words, by the field that it is about. */
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

/** The login with the stored password, where that may be sent. */
export function inherited(
  vault: Vault,
  stored: RegistryTable,
  { registryUrl, username, insecure }: Omit<Login, 'password'>,
): Login {
  if (!mayInherit(stored.registryUrl, registryUrl)) {
    const place = stored.registryUrl.trim() || 'Docker Hub'
    refuseField(
      'registryUrl',
      `is not where the stored password may go, which is for ${place}. Give the password for this address as well`,
    )
  }
  return { registryUrl, username, insecure, password: openRegistryPassword(vault, stored) }
}
