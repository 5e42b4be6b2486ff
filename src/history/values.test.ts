import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, emptyValues, packed, unpacked, valuesFrom } from './values.ts'

test('a value is kept to 0.4 %, over the whole range', () => {
  for (const value of [0, 1, 0.5, 100, 151, 1e-9, 123_456_789, 4.2e12, 3e38, -17, Math.PI]) {
    const found = unpacked(packed(value))!
    assert.ok(Math.abs(found - value) <= Math.abs(value) * 0.004, `${value} became ${found}`)
  }
})

test('small whole numbers are exact', () => {
  for (let value = 0; value <= 256; value++) assert.equal(unpacked(packed(value)), value)
})

test('what is no finite number was not measured', () => {
  for (const value of [null, Number.NaN, Infinity, -Infinity, 1e300]) assert.equal(unpacked(packed(value)), null)
  assert.ok(unpacked(packed(3.4028234e38))! < Infinity)
})

test('values survive as bytes, and bytes of another length are no values', () => {
  const values = emptyValues(3)
  values[1] = packed(7)
  assert.deepEqual([...valuesFrom(bytesOf(values), 3)].map(unpacked), [null, 7, null])
  assert.deepEqual([...valuesFrom(bytesOf(values), 4)].map(unpacked), [null, null, null, null])
  assert.deepEqual([...valuesFrom(undefined, 1)].map(unpacked), [null])
})
