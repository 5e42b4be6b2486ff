/**
 * Tests a read-only disk with the data folder. Berth must report it at the start. If the disk becomes read-only while
 * Berth runs, Berth must refuse writes with a message and answer reads.
 */
import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { openDisk } from './disk.ts'

const noEngine = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }
const mebibyte = 1024 * 1024

const create = (berth: BerthProcess, name: string) =>
  berth.call<{ message: string; code: string }>('project.create', { name })

async function namesOf(berth: BerthProcess) {
  const { status, body } = await berth.call<{ name: string }[]>('project.all')
  assert.equal(status, 200)
  return body.map(({ name }) => name)
}

/** Asserts that Berth answers with exactly these projects. */
const compareNames = (berth: BerthProcess, names: string[]) =>
  compareData('the projects', async () => assert.deepEqual(await namesOf(berth), names))

test('refuses to start on a read-only disk, with a message, and changes nothing', async (t) => {
  const disk = await openDisk(t, 8 * 1024)
  const berth = await berthProcess(disk.folder, noEngine, { ...disk, outputs: temporaryFolder(t) })
  t.after(() => berth.kill())
  await disk.within('mount', '-o', 'remount,ro', disk.folder)
  assert.match((await berth.runUntilExit()).errors, /data folder .+ is on a read-only disk/)
  await disk.within('mount', '-o', 'remount,rw', disk.folder)
  await berth.start()
  await berth.signIn()
  await create(berth, 'kept')
  assert.equal(await berth.stop(), 0)
  await disk.within('mount', '-o', 'remount,ro', disk.folder)
  const { status, errors } = await berth.runUntilExit()
  assert.equal(status, 1)
  assert.match(errors, /Berth cannot start\.\n\n +The data folder .+ is on a read-only disk\./)
  assert.doesNotMatch(errors, /\n +at /, 'no stack')
  await disk.within('mount', '-o', 'remount,rw', disk.folder)
  await berth.start()
  await compareNames(berth, ['kept'])
  assert.equal(await berth.stop(), 0)
})

test('answers reads after the kernel makes a failing disk read-only, and keeps all data', async (t) => {
  const image = join(temporaryFolder(t), 'image')
  writeFileSync(image, '')
  truncateSync(image, 32 * mebibyte)
  const mount = 'mkfs.ext4 -q -F "$2" && mount -o loop,errors=remount-ro "$2" "$1"'
  const disk = await openDisk(t, 0, mount, image)
  const berth = await berthProcess(disk.folder, noEngine, { ...disk, outputs: temporaryFolder(t) })
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  assert.equal((await create(berth, 'kept')).status, 200)

  const { stdout: device } = await disk.within('findmnt', '--noheadings', '--output', 'SOURCE', disk.folder)
  writeFileSync(`/sys/fs/ext4/${device.trim().replace('/dev/', '')}/trigger_fs_error`, '1')
  for (let count = 0; count < 3; count++) {
    const { status, body } = await create(berth, 'lost')
    assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.match(body.message, /^The disk of Berth's data folder (is read-only|failed)\. .+\. Nothing was changed/)
    await compareNames(berth, ['kept'])
  }
  const ready = await fetch(`${berth.base}/readyz`)
  assert.equal(ready.status, 503)
  assert.match(await ready.text(), /"path":"store"/)
  await berth.stop()

  await disk.within('umount', disk.folder)
  // Exit code 1 means that errors were repaired.
  await disk.within('e2fsck', '-f', '-p', image).catch((error: { code?: number }) => assert.equal(error.code, 1))
  await disk.within('mount', '-o', 'loop', image, disk.folder)
  await berth.start()
  await compareNames(berth, ['kept'])
  assert.equal((await create(berth, 'after')).status, 200)
  assert.equal(await berth.stop(), 0)
  const integrity = await disk.sql('pragma integrity_check')
  await compareData('the store', () => assert.deepEqual(integrity, [{ integrity_check: 'ok' }]))
})
