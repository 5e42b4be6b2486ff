/** The connection settings of a destination. The secret is sealed in the store. */
import type { DestinationTable } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'

interface Secrets {
  secretAccessKey: string
}

const cellOf = (destinationId: string) => ({ table: 'destination', column: 'secrets', row: destinationId })

/** Returns the sealed secret for the column `secrets` of this destination. */
export function sealDestination(vault: Vault, destinationId: string, secretAccessKey: string): string {
  const secrets: Secrets = { secretAccessKey }
  return vault.seal(cellOf(destinationId), JSON.stringify(secrets))
}

/** How to reach a storage, with the secret in plain text. */
export interface DestinationSettings
  extends Pick<DestinationTable, 'kind' | 'endpoint' | 'region' | 'bucket' | 'accessKey' | 'hostKey'> {
  secretAccessKey: string
}

export function settingsOfDestination(vault: Vault, row: DestinationTable): DestinationSettings {
  const { kind, endpoint, region, bucket, accessKey, hostKey } = row
  const { secretAccessKey } = JSON.parse(vault.open(cellOf(row.id), row.secrets)) as Secrets
  return { kind, endpoint, region, bucket, accessKey, hostKey, secretAccessKey }
}
