/** The connection settings of a destination. The secret is sealed in the store. */
import type { DestinationTable } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'

interface Secrets {
  secretAccessKey: string
}

const placeOf = (row: string) => ({ table: 'destination', column: 'secrets', row })

export function sealDestination(vault: Vault, row: string, secretAccessKey: string): string {
  const secrets: Secrets = { secretAccessKey }
  return vault.seal(placeOf(row), JSON.stringify(secrets))
}

/** The settings with the opened secret, as `Settings` in lib/s3/s3.ts. */
export function settingsOfDestination(vault: Vault, row: DestinationTable) {
  const { endpoint, region, bucket, accessKey } = row
  const { secretAccessKey } = JSON.parse(vault.open(placeOf(row.id), row.secrets)) as Secrets
  return { endpoint, region, bucket, accessKey, secretAccessKey }
}
