import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameLabels, labelsOf, labelsText, rowsOf } from './label-rows.ts'

test('reads rows as labels and leaves out empty rows', () => {
  const rows = [
    { name: ' disk ', value: 'ssd' },
    { name: '', value: '' },
    { name: 'gpu', value: '' },
  ]
  assert.deepEqual(labelsOf(rows), { labels: { disk: 'ssd', gpu: '' }, wrong: null })
})

test('says which row is no label', () => {
  assert.match(labelsOf([{ name: '', value: 'x' }]).wrong!, /value x needs a name/)
  assert.match(labelsOf([...rowsOf({ a: '1' }), { name: 'a', value: '2' }]).wrong!, /a is there twice/)
})

test('compares and writes labels in the order of their names', () => {
  assert.ok(isSameLabels({ a: '1', b: '2' }, { b: '2', a: '1' }))
  assert.equal(labelsText({ b: '', a: '1' }), 'a=1, b')
  assert.equal(labelsText({}), 'none')
})
