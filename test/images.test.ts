/** How scripts/images.sh builds an image, with a program in place of Docker's client that lists the files of the build. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bareEnv } from './fixtures/bare-env.ts'
import { temporaryFolder } from './fixtures/folder.ts'

const root = join(import.meta.dirname, '..')

const docker = `#!/bin/sh
for last; do :; done
case $1 in
  build) [ "$last" = - ] || find "$last" -mindepth 1 -printf '%m %P\\n' >>"$LISTED" ;;
  run) echo A=b ;;
esac
`

const program = `
umask 077
cd "$1"
. scripts/steps.sh
. scripts/images.sh
recipe=$(recipes | grep '^registry:2 ')
(build_image $recipe)`

test('the files in an image have the same modes whatever the umask of the checkout is', (t) => {
  const folder = temporaryFolder(t)
  const checkout = join(folder, 'my ü')
  for (const name of ['scripts', 'images']) cpSync(join(root, name), join(checkout, name), { recursive: true })
  execFileSync('chmod', ['-R', 'go=', checkout])
  writeFileSync(join(folder, 'docker'), docker)
  chmodSync(join(folder, 'docker'), 0o755)
  const listed = join(folder, 'listed')
  const env = bareEnv({ PATH: `${folder}:${process.env.PATH}`, LISTED: listed })
  execFileSync('sh', ['-euc', program, 'sh', checkout], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  assert.deepEqual(readFileSync(listed, 'utf8').trim().split('\n').sort(), [
    '644 Dockerfile',
    '644 config.yml',
    '755 entry.sh',
  ])
})
