/** The connection settings of a destination. The secret is sealed in the store. */
import type { DestinationTable } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'

interface Secrets {
  secretAccessKey: string
}

const cellOf = (row: string) => ({ table: 'destination', column: 'secrets', row })

export function sealDestination(vault: Vault, row: string, secretAccessKey: string): string {
  const secrets: Secrets = { secretAccessKey }
  return vault.seal(cellOf(row), JSON.stringify(secrets))
}

/** The settings with the opened secret, as `Settings` in lib/s3/s3.ts. */
export function settingsOfDestination(vault: Vault, row: DestinationTable) {
  const { endpoint, region, bucket, accessKey } = row
  const { secretAccessKey } = JSON.parse(vault.open(cellOf(row.id), row.secrets)) as Secrets
  return { endpoint, region, bucket, accessKey, secretAccessKey }
}
