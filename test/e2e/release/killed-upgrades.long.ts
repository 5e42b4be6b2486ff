/** Upgrades that fail, or are killed after each of their steps. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../fixtures/folder.ts'
import { buildReleases, kill, runningMachine, versionAt } from './upgrades.ts'

const { first, second, failing, migrating } = await buildReleases(temporaryFolder({ after }))

test('goes back if the new version does not become ready', async () => {
  await using machine = await runningMachine(first)
  const { status, err } = await machine.upgrade(failing)
  assert.equal(status, 1)
  assert.match(err, /0\.3\.0 did not become ready: .+ does not answer[\s\S]*0\.1\.0 is in use again[\s\S]*unchanged/)
  assert.deepEqual([await versionAt(machine), await machine.projects()], ['0.1.0', ['shop']])
  assert.equal(readdirSync(machine.dataFolder).filter((name) => name.includes('replaced')).length, 0)
})

for (const step of ['placed', 'recorded', 'stopped', 'backedUp', 'switched', 'started']) {
  test(`finishes an upgrade that was killed after the step ${step}`, async () => {
    await using machine = await runningMachine(first)
    await kill(machine, second, step)
    const { status, err } = await machine.berth('upgrade', '--root', machine.root, second)
    assert.equal(status, 0, err)
    assert.deepEqual([await versionAt(machine), await machine.projects()], ['0.2.0', ['shop']])
  })
}

for (const step of ['goingBack', 'backStopped', 'restored', 'switchedBack']) {
  test(`finishes a way back that was killed after the step ${step}`, async () => {
    await using machine = await runningMachine(first)
    await kill(machine, migrating, step)
    const { status, err } = await machine.upgrade(migrating)
    assert.deepEqual([status, /way back to Berth 0\.1\.0 is finished/.test(err)], [1, true], err)
    assert.deepEqual([await versionAt(machine), await machine.projects()], ['0.1.0', ['shop']])
  })
}
