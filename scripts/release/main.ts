/** `./berth release`: builds release/berth-<version>-linux-x64.tar.gz and its checksum. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../bundler.ts'
import { pack } from './pack.ts'
import { stage } from './stage.ts'

const { values } = parseArgs({
  options: {
    // The version of package.json by default.
    version: { type: 'string' },
    // The folder for the archive.
    output: { type: 'string', default: join(root, 'release') },
    // A program that is packed instead of Node, for tests that do not need 150 MB.
    node: { type: 'string', default: join(root, 'node_modules/node/bin/node') },
  },
})

/** The time of all files: SOURCE_DATE_EPOCH or the time of the commit. Source: reproducible-builds.org. */
function buildSeconds(): number {
  const text = process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct')
  if (/^\d+$/.test(text)) return Number(text)
  throw new Error('SOURCE_DATE_EPOCH must be a number of seconds since 1970')
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

async function build(): Promise<void> {
  const { version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version } =
    values
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`'${version}' is no version such as 1.2.3`)
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('A release is built on Linux on x86-64')
  const seconds = buildSeconds()
  const begunAt = performance.now()
  const folder = join(resolve(values.output), `berth-${version}-linux-x64`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    await stage(folder, { version, node: values.node })
    const archive = await pack(folder, seconds)
    const mebibytes = (statSync(archive).size / 2 ** 20).toFixed(1)
    const duration = Math.round((performance.now() - begunAt) / 1000)
    process.stdout.write(`${archive} (${mebibytes} MiB, ${duration} s)\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await build().catch((error: Error) => {
  process.stderr.write(`berth: the release could not be built: ${error.message}\n`)
  process.exitCode = 1
})
