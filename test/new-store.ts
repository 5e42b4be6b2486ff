/** The store that a new data folder begins with, made as Berth makes it, once for all tests of a process. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../src/store/sqlite/open.ts'
import { once } from '../src/lib/async/memoize.ts'

interface Made {
  bytes: Buffer
  mode: number
}

/** Nothing where there is a store. */
export async function putNewStore(folder: string): Promise<void> {
  const path = join(folder, 'berth.db')
  if (existsSync(path)) return
  const { bytes, mode } = await newest()
  writeFileSync(path, bytes, { mode })
}

const newest = once(async (): Promise<Made> => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-new-'))
  try {
    await (await openStore(folder)).close()
    const path = join(folder, 'berth.db')
    return { bytes: readFileSync(path), mode: statSync(path).mode & 0o777 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
