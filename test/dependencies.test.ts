/** How ./berth installs its npm packages. A script replaces npm, and another one Node. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { bareEnv } from './fixtures/bare-env.ts'
import { temporaryFolder } from './fixtures/folder.ts'

const root = join(import.meta.dirname, '..')

/** Waits for a line in the file `go`, and installs a program that does nothing. */
const npm = `#!/bin/sh
echo "$*" >>calls
read -r _ <go
rm -rf node_modules
mkdir -p node_modules/node/bin
printf '#!/bin/sh\\n' >node_modules/node/bin/node
chmod +x node_modules/node/bin/node
`

/** A source tree without packages. */
function sourceTree(t: TestContext) {
  const folder = temporaryFolder(t)
  for (const path of ['berth', 'scripts', 'package.json', 'package-lock.json', 'client', 'cli', 'shared']) {
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 })
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
  const npmCalls = () =>
    existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').split('\n') : []
  const start = (...args: string[]) => {
    const env = bareEnv({ HOME: folder, PATH: `${join(folder, 'bin')}:${process.env.PATH}` })
    const child = spawn(join(folder, 'berth'), args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    const says = async (text: string) => {
      while (!err.includes(text)) await once(child.stderr, 'data')
    }
    return { says, ended: once(child, 'close').then(([status]) => ({ status: status as number, err })) }
  }
  return { folder, write, npmCalls, start }
}

test('of two calls at once, the second waits for the installation of the first', async (t) => {
  const { folder, write, npmCalls, start } = sourceTree(t)
  const fifo = spawn('mkfifo', [join(folder, 'go')])
  await once(fifo, 'close')
  const first = start('ls')
  await first.says('installing the npm packages')
  const second = start('ls')
  await second.says('waiting for another berth that installs packages')
  write('go', 'go\n')
  for (const { status, err } of [await first.ended, await second.ended]) assert.equal(status, 0, err)
  assert.deepEqual(npmCalls(), ['ci --omit=dev --no-audit --no-fund --loglevel=error', ''])
})

test('development packages that are there stay there', async (t) => {
  const { folder, write, npmCalls, start } = sourceTree(t)
  write('go', 'go\n')
  mkdirSync(join(folder, 'node_modules/typescript'), { recursive: true })
  const { status, err } = await start('ls').ended
  assert.equal(status, 0, err)
  assert.deepEqual(npmCalls(), ['ci --no-audit --no-fund --loglevel=error', ''])
})

test('the package of the client is built with the development packages', async (t) => {
  const { write, npmCalls, start } = sourceTree(t)
  write('go', 'go\n')
  const { status, err } = await start('client', 'package').ended
  assert.equal(status, 0, err)
  assert.deepEqual(npmCalls(), ['ci --no-audit --no-fund --loglevel=error', ''])
})
