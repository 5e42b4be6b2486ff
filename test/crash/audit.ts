/** The audit log is complete and has each acknowledged call once. A call with an Idempotency-Key takes effect once. */
import assert from 'node:assert/strict'
import type { Client } from './client.ts'
import { rowsOf } from './store.ts'

export async function compareAudit(client: Client, folder: string): Promise<void> {
  const { valid, brokenAt } = (await client.read<{ valid: boolean; brokenAt: string | null }>('audit.check'))!
  assert.ok(valid, `the chain of the audit log is broken at ${brokenAt}`)
  const listed = (await client.read<{ result: string }[]>('audit.all', { result: 'OK' }))!
  assert.deepEqual([...new Set(listed.map(({ result }) => result))], ['OK'])
  const rows = rowsOf<{ operation: string; count: number }>(
    folder,
    "select operation, count(*) as count from audit where result = 'OK' group by operation",
  )
  const counts = new Map(rows.map(({ operation, count }) => [operation, count]))
  for (const [operation, { done, cut }] of client.callCounts) {
    const count = counts.get(operation) ?? 0
    assert.ok(
      count >= done && count <= done + cut,
      `${operation} took effect ${count} times: ${done} calls were answered, ${cut} cut off`,
    )
  }
}
