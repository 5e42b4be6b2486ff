/** `berth upgrade` with real releases, whose program runs, on a machine whose systemd is a script. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { until } from '../../engine/until.ts'
import { temporaryFolder } from '../../fixtures/folder.ts'
import { changedRelease, packUnchecked, unpack } from './archives.ts'
import { type Machine, startMachine } from './machine.ts'
import { buildReleases, kill, runningMachine, startWrites, versionAt } from './upgrades.ts'

const folder = temporaryFolder({ after })
const { first, second, failing, migrating } = await buildReleases(folder)

const backupsOf = ({ dataFolder }: Machine) =>
  readdirSync(join(dataFolder, '..')).filter((name) => /^berth-0\.1\.0-\d{8}T\d{6}Z\.state$/.test(name))

test('upgrades the program and keeps the state', async () => {
  await using machine = await runningMachine(first)
  const { status, out, err } = await machine.berth('upgrade', '--root', machine.root, second)
  assert.equal(status, 0, err)
  assert.match(out, /Berth 0\.1\.0 was replaced by 0\.2\.0\. Berth 0\.2\.0 is ready/)
  assert.deepEqual([await versionAt(machine), machine.version()], ['0.2.0', '0.2.0'])
  assert.deepEqual(await machine.projects(), ['shop'])
  assert.equal(backupsOf(machine).length, 1)
  const again = await machine.upgrade(second)
  assert.match(again.out, /0\.2\.0 is installed already/)
  const back = await machine.upgrade('--back')
  assert.match(back.out, /0\.1\.0 is in use again\. It is ready\.\nThe store is unchanged/, back.err)
  assert.deepEqual([await versionAt(machine), await machine.projects()], ['0.1.0', ['shop']])
  assert.match((await machine.upgrade('--back')).err, /There is no version to go back to/)
})

test('goes back and restores the state if the new version has migrated the store', async () => {
  await using machine = await runningMachine(first)
  await using writes = startWrites(machine)
  await writes.more()
  const { status, err } = await machine.upgrade(migrating)
  await writes.more()
  await writes.end()
  assert.equal(status, 1)
  assert.match(err, /0\.1\.0 is in use again\. It is ready\.\nIts state of .+ was restored/)
  assert.equal(await versionAt(machine), '0.1.0')
  assert.equal(readdirSync(machine.dataFolder).filter((name) => /replaced-[\dTZ]+$/.test(name)).length, 1)
})

test('an upgrade does not need the engine', async () => {
  await using machine = await runningMachine(first)
  await machine.closeEngine()
  const { status, out, err } = await machine.berth('upgrade', '--root', machine.root, second)
  assert.equal(status, 0, err)
  assert.match(out, /Berth 0\.2\.0 works, but is not ready yet: .+engine/)
  assert.equal((await machine.create('without an engine')).status, 200)
})

test('refuses an upgrade while Berth does not answer, and changes nothing', async () => {
  await using machine = await startMachine(first, '0.1.0', { hasSystemd: true })
  // Another program that systemd takes for Berth.
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6) // berth.mjs'])
  writeFileSync(join(machine.root, 'berth.pid'), String(child.pid))
  const { status, err } = await machine.upgrade(second)
  assert.deepEqual([status, /0\.1\.0 does not work, so an upgrade could not be checked/.test(err)], [1, true], err)
  assert.equal(machine.version(), '0.1.0')
})

test('a killed upgrade accepts no change until it is finished, and loses none', async () => {
  await using machine = await runningMachine(first)
  await using writes = startWrites(machine)
  await writes.more()
  await kill(machine, second, 'started')
  await until('the new version to answer', () =>
    versionAt(machine).then(
      (version) => version === '0.2.0',
      () => false,
    ),
  )
  const refusal = await machine.create('too early')
  const { reason, message } = (await refusal.json()) as Record<string, string>
  assert.deepEqual([refusal.status, reason], [503, 'UpgradeUnconfirmed'])
  assert.match(message!, /berth upgrade --resume/)
  const reset = await machine.berth('admin', 'reset-password', 'ada@example.org')
  assert.deepEqual([reset.status, /berth upgrade --resume/.test(reset.err)], [1, true])
  await machine.closeEngine()
  const { status, err } = await machine.berth('upgrade', '--root', machine.root, '--resume')
  assert.equal(status, 0, err)
  await writes.more()
  await writes.end()
  assert.equal(await versionAt(machine), '0.2.0')
  assert.match((await machine.berth('upgrade', '--root', machine.root, '--resume')).err, /No upgrade was interrupted/)
})

test('an interrupted upgrade is finished with its own archive only', async () => {
  await using machine = await startMachine(first, '0.1.0', { hasSystemd: false })
  await kill(machine, second, 'switched')
  assert.match((await machine.upgrade(failing)).err, /An upgrade to Berth 0\.2\.0 was interrupted/)
  assert.match((await machine.upgrade('--back')).out, /0\.1\.0 is in use again/)
  assert.equal(machine.version(), '0.1.0')
})

test('without systemd it switches the program and tells to restart Berth', async () => {
  await using machine = await startMachine(first, '0.1.0', { hasSystemd: false })
  await machine.start()
  const { status, out, err } = await machine.upgrade(second)
  assert.deepEqual([status, /Restart Berth now/.test(out)], [0, true], err)
  assert.deepEqual([await versionAt(machine), machine.version()], ['0.1.0', '0.2.0'])
  await machine.systemctl('stop')
  await machine.start()
  assert.equal(await versionAt(machine), '0.2.0')
})

test('going back from a migrated store needs a confirmation, and a stopped Berth', async () => {
  await using machine = await startMachine(first, '0.1.0', { hasSystemd: false })
  await machine.start()
  assert.equal((await machine.upgrade(second)).status, 0)
  const store = new DatabaseSync(join(machine.dataFolder, 'berth.db'))
  store.exec("insert into kysely_migration values ('9999-next', '2030-01-01T00:00:00.000Z')")
  store.close()
  assert.match(
    (await machine.upgrade('--back')).err,
    /Everything stored since then is lost: \d+ calls? of the audit log[\s\S]+--back --yes/,
  )
  assert.match((await machine.upgrade('--back', '--yes')).err, /Berth is running on .+\. Stop Berth, then restore/)
  await machine.systemctl('stop')
  assert.match((await machine.upgrade('--back', '--yes')).out, /was restored/)
  await machine.start()
  assert.equal(await versionAt(machine), '0.1.0')
})

/** Archives that are refused, with the reason. */
const refused: [name: string, archive: () => Promise<string> | string, reason: RegExp][] = [
  ['an older version', () => changed('older', '0.0.9', () => undefined), /0\.0\.9 is older than the installed 0\.1\.0/],
  [
    'another processor',
    () => changed('cpu', '0.3.0', (release) => replaceIn(join(release, 'package.json'), '"x64"', '"arm64"')),
    /The release is for linux-arm64, and this machine is linux-x64/,
  ],
  [
    'an archive that differs from its checksum',
    async () => {
      const archive = await changed('damaged', '0.3.0', () => undefined)
      appendFileSync(archive, 'x')
      return archive
    },
    /differs from its checksum in .+\.sha256/,
  ],
  [
    'an archive without a checksum',
    async () => {
      const archive = await changed('bare', '0.3.0', () => undefined)
      rmSync(`${archive}.sha256`)
      return archive
    },
    /There is no file .+\.sha256/,
  ],
  ['a file that differs from its checksum', () => tampered('file', 'VERSION', 'x'), /damaged: VERSION differs/],
  ['a file without a checksum', () => tampered('extra', 'dist/extra.mjs', 'x'), /dist\/extra\.mjs has no checksum/],
  ['an archive of something else', () => other(), /contains no release of Berth/],
  ['a file that does not exist', () => join(folder, 'nothing.tar.gz'), /There is no file .+nothing\.tar\.gz/],
]

const changed = (name: string, version: string, change: (release: string) => void) =>
  changedRelease(first, join(folder, name), version, change)

const replaceIn = (path: string, from: string, to: string) =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))

function tampered(name: string, path: string, text: string): string {
  const release = unpack(first, join(folder, name))
  writeFileSync(join(release, path), text)
  return packUnchecked(release)
}

function other(): string {
  const empty = join(folder, 'other')
  mkdirSync(empty)
  writeFileSync(join(empty, 'file'), '')
  return packUnchecked(empty)
}

test('refuses archives that are no newer release for this machine, and changes nothing', async (t) => {
  await using machine = await startMachine(first, '0.1.0', { hasSystemd: false })
  const versions = () => readdirSync(join(machine.root, 'opt/berth')).sort()
  for (const [name, archive, reason] of refused) {
    await t.test(name, async () => {
      const { status, err } = await machine.upgrade(await archive())
      assert.equal(status, 1)
      assert.match(err, reason)
      assert.deepEqual(versions(), ['0.1.0', 'current', 'upgrade.lock'])
    })
  }
})

test('wrong arguments print the usage', async () => {
  await using machine = await startMachine(first, '0.1.0', { hasSystemd: false })
  for (const args of [[], ['a', 'b'], ['a', '--back'], ['--unknown'], ['a', '--timeout', 'x']]) {
    const { status, err } = await machine.berth('upgrade', ...args)
    assert.deepEqual([status, err.includes('berth upgrade FILE')], [2, true], args.join(' '))
  }
})
