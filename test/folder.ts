/** A temporary folder that goes with its test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

export function temporaryFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
