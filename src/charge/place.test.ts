import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { placeOf, processFile } from './place.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-place-'))
after(() => rmSync(folder, { recursive: true }))
const data = join(folder, 'data')
const copy = join(folder, 'copy')
mkdirSync(data)
mkdirSync(copy)
symlinkSync(data, join(folder, 'link'))
const machine = join(folder, 'machine-id')
writeFileSync(machine, 'one\n')
const otherMachine = join(folder, 'other-machine-id')
writeFileSync(otherMachine, 'two\n')

test('a place is the same for a link to it, and differs for another folder and another machine', () => {
  const place = placeOf(data, machine)
  assert.equal(placeOf(join(folder, 'link'), machine), place)
  assert.notEqual(placeOf(copy, machine), place)
  assert.notEqual(placeOf(data, otherMachine), place)
  // Without a machine-id(5), as in some containers, the folder alone counts.
  assert.equal(placeOf(data, join(folder, 'missing')), placeOf(data, join(folder, 'missing')))
})

test('the process that was replaced last and the one that replaced it are those of the place', () => {
  const processes = processFile(data)
  const includes = (process: string, place = 'here') =>
    processes.includes({ process, place, host: 'web-1', since: '' }, 'here')
  assert.equal(includes('a'), false)
  processes.replace(null, 'a')
  assert.deepEqual([includes('a'), includes('a', 'there')], [true, false])
  // Two processes in a row end before the swarm has stored them.
  for (const fresh of ['b', 'c']) {
    processes.replace('a', fresh)
    assert.deepEqual([includes('a'), includes(fresh)], [true, true])
  }
  processes.replace('c', 'd')
  assert.deepEqual([includes('a'), includes('c'), includes('d')], [false, true, true])
})
