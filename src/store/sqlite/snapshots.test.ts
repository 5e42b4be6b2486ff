/** Tests snapshots, which all reads in one turn of the event loop share. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { snapshotsOn } from './snapshots.ts'

/** Opens a writer and a reader of one file, as the store does. */
function open(t: TestContext) {
  const path = join(temporaryFolder(t), 'test.db')
  const writer = new DatabaseSync(path)
  writer.exec('pragma journal_mode = wal; create table item (id integer)')
  const reader = new DatabaseSync(path, { readOnly: true })
  t.after(() => {
    if (reader.isOpen) reader.close()
    writer.close()
  })
  const snapshots = snapshotsOn(reader)
  const count = () => {
    snapshots.take()
    return reader.prepare('select count(*) as n from item').get()?.n
  }
  return { reader, count, snapshots, write: () => writer.exec('insert into item values (1)') }
}

test('reads of one turn see the same data, and reads of the next turn see later writes', async (t) => {
  const { count, write } = open(t)
  assert.equal(count(), 0)
  write()
  assert.equal(count(), 0)
  await nextTurn()
  assert.equal(count(), 1)
})

test('after release, a read in the same turn also sees what was written since the first read', async (t) => {
  const { count, write, snapshots } = open(t)
  assert.equal(count(), 0)
  write()
  snapshots.release()
  assert.equal(count(), 1)
})

test('reads do not see a commit before it is synced', async (t) => {
  const { count, write, snapshots } = open(t)
  snapshots.pin()
  write()
  await nextTurn()
  assert.equal(count(), 0)
  snapshots.release()
  assert.equal(count(), 1)
})

test('accepts a file that is closed before the end of the turn', async (t) => {
  const { count, reader } = open(t)
  count()
  reader.close()
  await nextTurn()
})
