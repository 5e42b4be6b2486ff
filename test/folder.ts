/** A temporary folder that goes with its test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

export function temporaryFolder(t: Pick<TestContext, 'after'>): string {
  const folder = newFolder()
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** It goes when all that was put on the stack after it has gone. */
export function folderUnder(end: AsyncDisposableStack): string {
  const folder = newFolder()
  end.defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'berth-test-'))
