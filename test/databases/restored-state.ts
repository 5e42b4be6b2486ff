/** A backup of Berth's state that replaces the state later, while the engine keeps running. Shared by tests. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { folderUnder } from '../fixtures/folder.ts'
import type { TestBerth } from '../fixtures/test-berth.ts'
import { run } from '../installation/run-command.ts'

/**
 * Makes a backup of the state. The returned function stops Berth, restores the backup and starts Berth. The restored
 * state needs no confirmation, so Berth acts on it at once: what protects databases must hold without a review, too.
 */
export async function backUpState(testBerth: TestBerth, cleanup: AsyncDisposableStack): Promise<() => Promise<void>> {
  const file = join(folderUnder(cleanup), 'state')
  const { status, err } = await run(testBerth.folder, ['state', 'backup', file])
  assert.equal(status, 0, err)
  return () =>
    testBerth.restart(async () => {
      const restored = await run(testBerth.folder, ['state', 'restore', file, '--exact'])
      assert.equal(restored.status, 0, restored.err)
    })
}
