/**
 * A release on a bare Debian: a root folder with the packages that every Debian has, in a network namespace of its own,
 * with the socket of this machine's Docker engine.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../fixtures/folder.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))
const maxMebibytes = 60

const build = (output: string, ...options: string[]) =>
  execFileSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(project, 'scripts/release/main.ts'), '--output', output, ...options],
    { env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' }, stdio: ['ignore', 'ignore', 'inherit'] },
  )

test('two builds of the same sources have the same bytes', (t) => {
  const [one, two] = [temporaryFolder(t), temporaryFolder(t)]
  for (const folder of [one, two]) build(folder)
  const sums = [one, two].map((folder) => {
    const [name] = readdirSync(folder).filter((it) => it.endsWith('.sha256'))
    return readFileSync(join(folder, name!), 'utf8')
  })
  assert.equal(sums[0], sums[1])
})

test('a release serves, installs itself and is upgraded on a bare Debian without npm and network', async (t) => {
  const folder = temporaryFolder(t)
  const [root, tar] = [join(folder, 'root'), join(folder, 'root.tar')]
  mkdirSync(root)
  // A user of the system in the folder has to read its files.
  execFileSync('sh', ['-c', 'umask 022; exec "$0" "$@"', join(project, 'images/base.sh'), 'bookworm', tar])
  execFileSync('tar', ['--extract', `--file=${tar}`, `--directory=${root}`, '--exclude=./dev/*'])
  build(join(root, 'release'))
  build(join(root, 'newer'), '--version', '999.0.0')
  for (const name of readdirSync(join(root, 'release')).filter((it) => it.endsWith('.tar.gz'))) {
    const mebibytes = statSync(join(root, 'release', name)).size / 2 ** 20
    assert.ok(mebibytes < maxMebibytes, `the archive has ${mebibytes} MiB`)
  }
  copyFileSync(new URL('bare-debian.sh', import.meta.url), join(root, 'test.sh'))
  writeFileSync(join(root, 'run/docker.sock'), '')
  const { stdout } = await promisify(execFile)('unshare', [
    ...['--net', '--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${join(root, 'proc')}`],
    ...['sh', '-euc', enter, 'enter', root],
  ])
  const parts = stdout
    .split('\n')
    .filter((line) => /^(?:verified|ready|signed in|stopped|installed|upgraded|gone back)$/.test(line))
  assert.deepEqual(parts, ['verified', 'ready', 'signed in', 'stopped', 'installed', 'upgraded', 'gone back'], stdout)
})

/** Prepares the namespaces and runs the script in the root folder. */
const enter = `
ip link set lo up
mount --bind /var/run/docker.sock "$1/run/docker.sock"
mount --rbind /dev "$1/dev"
exec chroot "$1" /bin/sh /test.sh`
