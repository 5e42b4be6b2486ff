/** Tests of completion: the words that the program suggests, and the script in a real bash. */
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { mainPath, startCommandLine, startProcess } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
await cli.ok('create', 'postgres', 'orders', '--project', 'web shop', '--no-deploy')

const complete = async (...words: string[]) => (await cli.ok('__complete', '--', ...words)).split('\n').slice(0, -1)

test('completes commands, options, values and names', async () => {
  assert.deepEqual(await complete('de'), ['deploy', 'destination'])
  assert.deepEqual(await complete('backup', 'un'), ['unschedule'])
  assert.deepEqual(await complete('deploy', ''), ['web shop/orders'])
  assert.deepEqual(await complete('--json', 'deploy', 'web'), ['web shop/orders'])
  assert.deepEqual(await complete('deploy', 'web shop/orders', '--w'), ['--wait'])
  assert.deepEqual(await complete('create', 'post'), ['postgres'])
  assert.deepEqual(await complete('ls', '--kind', 'm'), ['mysql', 'mariadb', 'mongo'])
  assert.deepEqual(await complete('events', '--kind', 'database,con'), ['database,condition'])
  assert.deepEqual(await complete('ls', '--project', ''), ['web shop'])
  assert.deepEqual(await complete('create', 'redis', 'cache', '--node', ''), ['memory'])
  assert.deepEqual(await complete('api', 'project.cr'), ['project.create'])
  assert.deepEqual(await complete('stats', 'web shop/orders', ''), [])
})

test('suggests no names and no error when the installation cannot be asked', async () => {
  const { status, stdout, stderr } = await cli.command(['__complete', '--', 'deploy', ''], {})
  assert.deepEqual([status, stdout, stderr], [0, '', ''])
})

test('bash completes the name of a database', async () => {
  const program = join(cli.folder, 'berth')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${mainPath}' "$@"\n`)
  chmodSync(program, 0o755)
  const script = `
    source <(berth completion bash)
    complete -p berth
    COMP_WORDS=(berth deploy web) COMP_CWORD=2
    _berth
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { ...cli.env, PATH: `${cli.folder}:${process.env.PATH}` }
  const { status, stdout, stderr } = await startProcess('bash', ['--norc', '-c', script], env).ended
  assert.equal(status, 0, stderr)
  assert.equal(stdout, 'complete -o bashdefault -o default -F _berth berth\nweb\\ shop/orders\n')
})
