import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BerthError } from '../../../client/client.ts'
import { formOf } from './form.ts'

const refusal = (...issues: { path: string; message: string }[]) =>
  new BerthError('Invalid input', { code: 'BAD_REQUEST', issues })

test('an issue of a field is shown until the person changes the field', async () => {
  const form = formOf({ name: 'a b', email: 'x' })
  const run = () =>
    Promise.reject(refusal({ path: 'name', message: 'has a space' }, { path: 'email', message: 'has no @' }))
  assert.equal(await form.submit(run), false)
  assert.deepEqual(form.issues.value, { name: 'has a space', email: 'has no @' })
  assert.equal(form.error.value, null)
  form.fields.name.value = 'ab'
  assert.deepEqual(form.issues.value, { email: 'has no @' })
})

test('the first issue of a field is shown, and an issue of no field is shown with the form', async () => {
  const form = formOf({ name: '' })
  const issues = [
    { path: 'name', message: 'is empty' },
    { path: 'name', message: 'is too short' },
    { path: 'node', message: 'is missing' },
  ]
  await form.submit(() => Promise.reject(refusal(...issues)))
  assert.deepEqual(form.issues.value, { name: 'is empty' })
  assert.ok(form.error.value instanceof BerthError)
})

test('an issue of an entry is shown at the list, with the number of the entry', async () => {
  const form = formOf({ tlsNames: 'a b' })
  await form.submit(() => Promise.reject(refusal({ path: 'tlsNames.0', message: 'is no name' })))
  assert.deepEqual([form.issues.value, form.error.value], [{ tlsNames: 'Entry 1: is no name' }, null])
})

test('a failed call leaves the fields, and a later attempt begins without issues', async () => {
  const form = formOf({ name: 'a b' })
  await form.submit(() => Promise.reject(refusal({ path: 'name', message: 'has a space' })))
  assert.equal(form.fields.name.value, 'a b')
  assert.equal(await form.submit(() => Promise.resolve()), true)
  assert.deepEqual(form.issues.value, {})
})
