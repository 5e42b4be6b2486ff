/** Checks before a restore changes anything that the server has the databases that views of the dump need. */
import { toolOutput } from '../../dumps/archive.ts'
import { RunFailure } from '../../dumps/failures.ts'
import { indispensableNeedsOf } from '../../dumps/finding-summary.ts'
import type { Manifest } from '../../dumps/manifest.ts'
import { databasesIn } from '../../kinds/backup.ts'
import { readWhole } from '../../lib/net/read-whole.ts'
import { serverOf, readServiceWithVolume } from '../../databases/tool-server.ts'
import type { RunContext } from './run.ts'

const maxListedBytes = 64 * 1024 ** 2

/** @throws RunFailure that names the missing databases */
export async function checkNeeds({ runtime, row, signal }: RunContext): Promise<void> {
  const needs = indispensableNeedsOf((JSON.parse(row.manifest!) as Manifest).contents)
  if (needs.length === 0 || row.withoutNeeds === 1) return
  const server = serverOf(runtime, await readServiceWithVolume(runtime, row.databaseId), true)
  const { kind, settings, own, host, image, mask } = server
  const inventory = kind.backup!.serverInventory
  if (inventory === undefined) return
  const program = inventory.list({ settings, own }, { host, port: kind.port })
  const tool = { name: `berth-list-${row.id}`, recordId: row.id, image, program, mask }
  const text = await readWhole(toolOutput(runtime, tool, signal), maxListedBytes, `The inventory of ${host}`)
  const present = databasesIn(text.toString().split('\n'))
  const databases = needs.filter((name) => !present.includes(name))
  if (databases.length > 0) throw new RunFailure({ reason: 'DatabasesMissing', databases })
}
