import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BerthError } from '../../../client/client.ts'
import { recordFormOf } from './record-form.ts'

type Values = { name: string; image: string }

/** A record as Berth keeps it, with a tag that changes with it. `others` changes what the form does not have. */
function storedRecord(first: Values) {
  const record = { ...first, others: 0 }
  const etag = () => JSON.stringify(record)
  const read = async () => ({ values: { name: record.name, image: record.image }, etag: etag() })
  const calls: { changed: Partial<Values>; tag: string | undefined }[] = []
  const change = async (changed: Partial<Values>, headers: Record<string, string>) => {
    calls.push({ changed, tag: headers['if-match'] })
    if (headers['if-match'] !== etag()) {
      throw new BerthError('The record was changed', { code: 'PRECONDITION_FAILED', status: 412 })
    }
    Object.assign(record, changed)
  }
  return { record, read, change, calls, etag }
}

async function edited(stored: ReturnType<typeof storedRecord>) {
  const form = recordFormOf(await stored.read(), stored.read)
  form.fields.name.value = 'mine'
  return form
}
const first = { name: 'orders', image: 'postgres:15' }

test('saves only the changed fields, and goes on with the new tag', async () => {
  const stored = storedRecord(first)
  const form = await edited(stored)
  assert.equal(await form.save(stored.change), true)
  form.fields.name.value = 'again'
  assert.equal(await form.save(stored.change), true)
  assert.deepEqual(
    stored.calls.map(({ changed }) => changed),
    [{ name: 'mine' }, { name: 'again' }],
  )
})

test('shows both versions of a field that another person has changed, and saves over it the second time', async () => {
  const stored = storedRecord(first)
  const form = await edited(stored)
  Object.assign(stored.record, { name: 'theirs', image: 'postgres:17' })
  assert.equal(await form.save(stored.change), false)
  assert.deepEqual(form.conflicts.value, [
    { field: 'name', before: 'orders', theirs: 'theirs' },
    { field: 'image', before: 'postgres:15', theirs: 'postgres:17' },
  ])
  assert.deepEqual(form.values(), { name: 'mine', image: 'postgres:17' })
  assert.equal(stored.record.name, 'theirs')
  assert.equal(await form.save(stored.change), true)
  assert.deepEqual({ ...stored.record }, { name: 'mine', image: 'postgres:17', others: 0 })
})

test('takes the other version if the person wants it', async () => {
  const stored = storedRecord(first)
  const form = await edited(stored)
  stored.record.name = 'theirs'
  await form.save(stored.change)
  form.takeTheirs('name')
  assert.deepEqual([form.values().name, form.changed.value], ['theirs', []])
})

test('a change of fields that the form does not have is no conflict', async () => {
  const stored = storedRecord(first)
  const form = await edited(stored)
  stored.record.others = 1
  assert.equal(await form.save(stored.change), true)
  assert.equal(form.conflicts.value, null)
})

test('a refusal for another reason is an error and no conflict', async () => {
  const stored = storedRecord(first)
  const form = await edited(stored)
  const refusal = new BerthError('The database is stopped', { code: 'PRECONDITION_FAILED', status: 412 })
  assert.equal(await form.save(() => Promise.reject(refusal)), false)
  assert.equal(form.conflicts.value, null)
  assert.equal(form.error.value, refusal)
})

test('a read that fails after the change leaves the change saved and the text as it is', async () => {
  const stored = storedRecord(first)
  const read = stored.read
  const form = recordFormOf(await read(), () => Promise.reject(new Error('offline')))
  form.fields.name.value = 'mine'
  assert.equal(await form.save(stored.change), true)
  assert.deepEqual([form.values().name, form.changed.value], ['mine', []])
})
