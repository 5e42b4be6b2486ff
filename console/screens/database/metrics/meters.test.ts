import assert from 'node:assert/strict'
import test from 'node:test'
import { cpuMeter, memoryMeter } from './meters.ts'

test('a value without a limit has no bar', () => {
  assert.equal(cpuMeter(0.5, null).part, null)
  assert.match(memoryMeter(1024, null).detail, /No limit/)
})

test('a value close to its limit says so in words', () => {
  assert.match(memoryMeter(900, 1000).detail, /90 % .*close to the limit/)
  assert.match(cpuMeter(2.1, 2).detail, /100 % .*at the limit/)
  assert.equal(cpuMeter(0.254, 2).value, '0.25 cores')
})
