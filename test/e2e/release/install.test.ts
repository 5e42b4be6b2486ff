/** `berth install` into the root folder of another system, as root. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { freePort } from '../../fixtures/free-port.ts'
import { bareEnv } from '../../fixtures/bare-env.ts'
import { temporaryFolder } from '../../fixtures/folder.ts'
import { buildRelease, unpack } from './archives.ts'

const folder = temporaryFolder({ after })
const release = unpack(buildRelease(folder, '0.1.0'), folder)

/**
 * Starts a program that sees itself as another user, in a user namespace of its own. It still reaches the files of root,
 * because the sources and the temporary folder can be in a folder that only root can enter.
 */
const asOtherUser = ['unshare', '--user', '--map-user=65534', '--map-group=65534']

/** A root folder with the files of users that every Debian has. */
function bareRoot(t: TestContext, { groups = 'root:x:0:\ndocker:x:997:\n' } = {}): string {
  const root = temporaryFolder(t)
  mkdirSync(join(root, 'etc'))
  const files = { passwd: 'root:x:0:0:root:/root:/bin/sh\n', group: groups, shadow: '', gshadow: '' }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'etc', name), text)
  return root
}

/** @param before words that start the program */
function install(root: string, args: string[] = [], { env = bareEnv({}), before = [] }: InstallOptions = {}) {
  const [program, ...rest] = [...before, join(release, 'bin/berth'), 'install', '--root', root, ...args]
  const { status, stdout, stderr } = spawnSync(program!, rest, { env, encoding: 'utf8' })
  return { status, out: stdout, err: stderr }
}

interface InstallOptions {
  env?: NodeJS.ProcessEnv
  before?: string[]
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('sets up the program, the user, the data folder, the settings and a unit that systemd accepts', (t) => {
  const root = bareRoot(t)
  const { status, out, err } = install(root)
  assert.equal(status, 0, err)
  assert.match(out, /Berth 0\.1\.0 is installed.+systemctl enable --now berth[\s\S]+berth login .+--token-file/)
  const at = (path: string) => join(root, path)
  const [, uid, gid] = /^berth:x:(\d+):(\d+)::\/var\/lib\/berth:\/usr\/sbin\/nologin$/m.exec(
    readFileSync(at('etc/passwd'), 'utf8'),
  )!
  assert.match(readFileSync(at('etc/group'), 'utf8'), /^docker:x:997:berth$/m)
  const data = statSync(at('var/lib/berth'))
  assert.deepEqual([data.uid, data.gid, data.mode & 0o777], [Number(uid), Number(gid), 0o700])
  assert.deepEqual([readlinkSync(at('opt/berth/current')), modeOf(at('opt/berth/0.1.0'))], ['0.1.0', 0o755])
  assert.equal(readlinkSync(at('usr/local/bin/berth')), '/opt/berth/current/bin/berth')
  assert.match(readFileSync(at('etc/berth.env'), 'utf8'), /^BERTH_DATA=\/var\/lib\/berth$/m)
  assert.equal(modeOf(at('etc/berth.env')), 0o600)
  const unit = at('etc/systemd/system/berth.service')
  const verify = ['verify', '--recursive-errors=no', `--root=${root}`, unit]
  const { status: accepted, stderr: findings } = spawnSync('systemd-analyze', verify, { encoding: 'utf8' })
  assert.deepEqual([accepted, findings], [0, ''])
})

test('starts the service if systemd runs', async (t) => {
  const root = bareRoot(t)
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  const data = { BERTH_DATA: join(root, 'var/lib/berth'), BERTH_PORT: String(await freePort()) }
  const folderOfSystemctl = import.meta.dirname
  const env = {
    ...bareEnv({ ...data, DOCKER_HOST: 'unix:///nowhere' }),
    PATH: `${folderOfSystemctl}:${process.env.PATH}`,
    MACHINE: root,
  }
  const systemctl = (verb: string) => execFileSync(join(folderOfSystemctl, 'systemctl'), [verb], { env })
  try {
    const { status, out, err } = install(root, [], { env })
    assert.deepEqual([status, /The service runs: systemctl status berth/.test(out)], [0, true], err)
    const calls = readFileSync(join(root, 'systemctl.log'), 'utf8')
    assert.match(calls, /daemon-reload\nenable --now berth\.service\n$/)
    assert.equal(install(root, ['--dry-run'], { env }).out, 'Everything is installed.\n')
  } finally {
    systemctl('stop')
  }
})

test('all users can read an installed release that was unpacked with a strict umask', (t) => {
  const root = bareRoot(t)
  const unpacked = unpack(join(folder, 'berth-0.1.0-linux-x64.tar.gz'), temporaryFolder(t))
  execFileSync('chmod', ['-R', 'go=', unpacked])
  const { status, stderr } = spawnSync(join(unpacked, 'bin/berth'), ['install', '--root', root], {
    env: bareEnv({}),
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  const installed = join(root, 'opt/berth/0.1.0')
  const modes = globSync('**', { cwd: installed }).map((path) => [path, modeOf(join(installed, path)).toString(8)])
  const isProgram = (path: string) => ['bin/berth', 'lib/node'].includes(path)
  assert.deepEqual(
    modes.filter(([path, mode]) => {
      const isExecutable = isProgram(path!) || statSync(join(installed, path!)).isDirectory()
      return mode !== (isExecutable ? '755' : '644')
    }),
    [],
  )
})

test('a repeat does only what is missing', (t) => {
  const root = bareRoot(t)
  const settings = join(root, 'etc/berth.env')
  writeFileSync(settings, 'BERTH_PORT=4000')
  assert.equal(install(root).status, 0)
  assert.equal(readFileSync(settings, 'utf8'), 'BERTH_PORT=4000\nBERTH_DATA=/var/lib/berth\n')
  const again = install(root)
  assert.deepEqual([again.status, again.err], [0, ''])
  assert.equal(install(root, ['--dry-run']).out, 'Everything is installed.\n')
  execFileSync('rm', ['-r', join(root, 'etc/systemd'), join(root, 'usr/local/bin/berth')])
  assert.match(
    install(root).err,
    /^berth: Done: link .+\/usr\/local\/bin\/berth .+\nberth: Done: write .+berth\.service\n$/,
  )
})

test('a dry run lists the steps and changes nothing', (t) => {
  const root = bareRoot(t)
  const before = globSync('**', { cwd: root })
  const { status, out } = install(root, ['--dry-run'])
  assert.deepEqual([status, globSync('**', { cwd: root })], [0, before])
  assert.match(out, /copy this release to .+create the user berth in the group docker.+write the systemd unit/s)
})

test('refuses what it cannot install, and changes nothing', (t) => {
  const program = join(release, 'bin/berth')
  const cases: [prepare: (root: string) => void, reason: RegExp, before?: string[]][] = [
    [(root) => writeFileSync(join(root, 'etc/group'), 'root:x:0:\n'), /Docker is missing: there is no group docker/],
    [
      (root) => cpSync(program, join(root, 'usr/local/bin/berth')),
      /usr\/local\/bin\/berth exists and is not a link to Berth/,
    ],
    [
      (root) => {
        mkdirSync(join(root, 'opt/berth'), { recursive: true })
        writeFileSync(join(root, 'opt/berth/package.json'), '{}')
      },
      /opt\/berth contains a source tree of Berth/,
    ],
    [() => undefined, /The installation needs root/, asOtherUser],
  ]
  for (const [prepare, reason, before = []] of cases) {
    const root = bareRoot(t)
    prepare(root)
    const { status, err } = install(root, [], { before })
    assert.equal(status, 1, err)
    assert.match(err, reason)
    assert.equal(existsSync(join(root, 'opt/berth/0.1.0')), false)
  }
})

test('refuses to replace another version, and names the command that does', (t) => {
  const root = bareRoot(t)
  assert.equal(install(root).status, 0)
  const other = join(unpack(buildRelease(folder, '0.2.0'), folder), 'bin/berth')
  const { status, stderr } = spawnSync(other, ['install', '--root', root], { env: bareEnv({}), encoding: 'utf8' })
  assert.deepEqual([status, /Berth 0\.1\.0 is installed in .+berth upgrade FILE/.test(stderr)], [1, true], stderr)
})
