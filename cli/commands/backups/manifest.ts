/** berth backup manifest: what a dump contains. */
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { databaseArgument, findDatabase } from '../../databases.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableSize, readableTime } from '../../terminal/size.ts'
import { findDump, findingLines, runOption } from './dumps.ts'

export const manifestCommand: CommandDeclaration = {
  name: 'manifest',
  description: 'show what a dump contains: its tables with their rows, and its checksum',
  arguments: [databaseArgument],
  options: [runOption],
  examples: ['berth backup manifest shop/orders'],
  run: showManifest,
}

async function showManifest(
  { open, output }: Session,
  options: CommonOptions & { run?: string },
  name: string,
): Promise<Outcome> {
  const client = open(options)
  const { runId } = await findDump(client, await findDatabase(client, name), options.run)
  const manifest = await client.backup.manifest({ runId })
  const { key, image, sizeBytes, rawBytes, sha256, rowCount, tableCount, tables, findings } = manifest
  return {
    json: manifest,
    show() {
      output.line(`${key} of ${readableTime(manifest.finishedAt)}, from ${image}`)
      output.line(`${readableSize(sizeBytes)}, ${readableSize(rawBytes)} before compression, SHA-256 ${sha256}`)
      output.line(`${tableCount} tables with ${rowCount} rows`)
      for (const line of findingLines({ findings, findingCount: findings.length })) output.line(line)
      output.table(
        ['table', 'rows'],
        tables.map((table) => [table.name, String(table.rows)]),
      )
    },
  }
}
