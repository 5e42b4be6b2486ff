import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { snapshotsOn } from './snapshots.ts'

/** A writer and a reader of one file, as the store has them. */
function open(t: TestContext) {
  const path = join(temporaryFolder(t), 'try.db')
  const writer = new DatabaseSync(path)
  writer.exec('pragma journal_mode = wal; create table it (id integer)')
  const reader = new DatabaseSync(path, { readOnly: true })
  t.after(() => {
    if (reader.isOpen) reader.close()
    writer.close()
  })
  const snapshots = snapshotsOn(reader)
  const count = () => {
    snapshots.take()
    return reader.prepare('select count(*) as n from it').get()?.n
  }
  return { reader, count, snapshots, write: () => writer.exec('insert into it values (1)') }
}

test('reads of one turn see the same, those of the next what was written since', async (t) => {
  const { count, write } = open(t)
  assert.equal(count(), 0)
  write()
  assert.equal(count(), 0)
  await nextTurn()
  assert.equal(count(), 1)
})

test('once a snapshot is left, the next read of the same turn sees what was written', async (t) => {
  const { count, write, snapshots } = open(t)
  assert.equal(count(), 0)
  write()
  snapshots.release()
  assert.equal(count(), 1)
})

test('while a commit is on its way to the disk, reads see what was before', async (t) => {
  const { count, write, snapshots } = open(t)
  snapshots.pin()
  write()
  await nextTurn()
  assert.equal(count(), 0)
  snapshots.release()
  assert.equal(count(), 1)
})

test('a file that is closed meanwhile does no harm', async (t) => {
  const { count, reader } = open(t)
  count()
  reader.close()
  await nextTurn()
})
