/** Upgrades that fail, or are killed after each of their steps. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../fixtures/folder.ts'
import { buildReleases, kill, runningMachine, startWrites, versionAt } from './upgrades.ts'

const { first, second, failing, migrating } = await buildReleases(temporaryFolder({ after }))

test('goes back if the new version does not become ready', async () => {
  await using machine = await runningMachine(first)
  const { status, err } = await machine.upgrade(failing)
  assert.equal(status, 1)
  assert.match(err, /0\.3\.0 did not become ready: .+ does not answer[\s\S]*0\.1\.0 is in use again[\s\S]*unchanged/)
  assert.deepEqual([await versionAt(machine), await machine.projects()], ['0.1.0', ['shop']])
  assert.equal(readdirSync(machine.dataFolder).filter((name) => name.includes('replaced')).length, 0)
})

for (const hasEngine of [true, false]) {
  const text = hasEngine ? '' : ' without an engine'
  for (const step of ['placed', 'recorded', 'stopped', 'backedUp', 'switched', 'started', 'confirmed']) {
    test(`finishes an upgrade that was killed after the step ${step}${text}, and keeps each acknowledged write`, async () => {
      await using machine = await runningMachine(first)
      await using writes = startWrites(machine)
      await writes.more()
      if (!hasEngine) await machine.closeEngine()
      await kill(machine, second, step)
      // As after a boot.
      await machine.systemctl('start')
      const { status, err } = await machine.berth('upgrade', '--root', machine.root, second)
      assert.equal(status, 0, err)
      await writes.more()
      await writes.end()
      assert.equal(await versionAt(machine), '0.2.0')
    })
  }
}

for (const step of ['goingBack', 'backStopped', 'restored', 'switchedBack']) {
  test(`finishes a way back that was killed after the step ${step}, and keeps each acknowledged write`, async () => {
    await using machine = await runningMachine(first)
    await using writes = startWrites(machine)
    await writes.more()
    await kill(machine, migrating, step)
    const { status, err } = await machine.upgrade(migrating)
    assert.deepEqual([status, /way back to Berth 0\.1\.0 is finished/.test(err)], [1, true], err)
    await writes.more()
    await writes.end()
    assert.equal(await versionAt(machine), '0.1.0')
  })
}
