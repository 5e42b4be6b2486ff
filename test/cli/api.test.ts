/** Tests of `berth api`, which reaches every operation. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileOutput, type Operation } from '../../src/api/contract.ts'
import { operations } from '../../src/operations.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

test('the description of an operation decides what a value is', async () => {
  const created = await api('project.create', '--name', '2030', '--description=true')
  assert.deepEqual([created.name, created.description], ['2030', 'true'])
  const renamed = await api(
    'project.update',
    '--projectId',
    String(created.projectId),
    '--name',
    'x',
    '--description',
    'null',
  )
  assert.deepEqual([renamed.name, renamed.description], ['x', null])
  const input = ['--name', 'orders', '--appName', 'orders', '--projectId', String(created.projectId)]
  const access = ['--databaseName', 'orders', '--databaseUser', 'orders', '--databasePassword', '12345678']
  const database = await api('postgres.create', ...input, ...access, '--memoryLimit', '512', '--externalPort', 'null')
  assert.deepEqual([database.memoryLimit, database.externalPort, database.applicationStatus], [512, null, 'idle'])
  const [node] = (await api('cluster.getNodes')) as unknown as { id: string }[]
  const labelled = await api('cluster.updateNode', '--nodeId', node!.id, '--labels', '{"disk":"fast"}')
  assert.deepEqual(labelled.labels, { disk: 'fast' })
})

test('takes the name of a database in place of its id', async () => {
  const named = await api('postgres.one', '--postgresId', 'x/orders')
  assert.equal(named.appName, 'orders')
  assert.deepEqual(await api('postgres.one', '--postgresId', String(named.postgresId)), named)
  const wrong = await cli.command(['api', 'deployment.all', '--serviceId', 'x/ordres'])
  assert.deepEqual([wrong.status, /Did you mean x\/orders\?/.test(wrong.stderr)], [3, true])
})

test('reads the fields from a file, and lets options replace them', async () => {
  const path = join(cli.folder, 'project.json')
  writeFileSync(path, JSON.stringify({ name: 'of the file', description: 'kept' }))
  const created = await api('project.create', '--input', path, '--name', 'of the option')
  assert.deepEqual([created.name, created.description], ['of the option', 'kept'])
  writeFileSync(path, '[]')
  const wrong = await cli.command(['api', 'project.create', '--input', path])
  assert.deepEqual([wrong.status, /it is no JSON object/.test(wrong.stderr)], [2, true])
})

test('refuses what the operation does not know, and suggests the nearest', async () => {
  for (const [words, text] of [
    [['project.creat'], /Did you mean project\.create/],
    [['project.create', '--nme', 'x'], /no field 'nme'\. Did you mean name\?/],
    [['project.create', 'name'], /'name' is no field/],
    [['project.create', '--name', 'a', '--name', 'b'], /--name takes one value, and has 2/],
    [['project.remove', '--projectId', 'x', '--cascade', 'maybe'], /--cascade must be boolean/],
  ] as const) {
    const { status, stderr } = await cli.command(['api', ...words])
    assert.deepEqual([status, text.test(stderr)], [2, true], stderr)
  }
})

test('lists the operations, and the fields of one', async () => {
  const list = await cli.ok('api')
  assert.match(list, /^postgres\.create\s+Create a PostgreSQL service/m)
  const help = await cli.ok('api', 'postgres.create', '--help')
  assert.match(help, /^--name\tstring\t./m)
  assert.match(help, /^--memoryLimit\tnumber or null\t\(optional\) ./m)
})

test('tells of further pages', async () => {
  const { stdout, stderr } = await cli.command(['api', 'audit.all', '--limit', '1'])
  assert.equal((JSON.parse(stdout) as unknown[]).length, 1)
  assert.match(stderr, /^There is more: --cursor \S+$/m)
})

test('every operation whose answer is JSON is reached and called', async () => {
  const isFile = ({ output }: Operation) => output === fileOutput
  for (const { name } of operations.filter(isFile)) {
    const { status, stderr } = await cli.command(['api', name])
    assert.deepEqual([status, calledOperations().has(name)], [2, false], name)
    assert.match(stderr, /answers a file/)
    assert.match(stderr, /berth backup download/)
  }
  // auth.logout ends the session of this test.
  const names = operations
    .filter((operation) => !isFile(operation))
    .map(({ name }) => name)
    .filter((name) => name !== 'auth.logout')
  for (const name of [...names, 'auth.logout']) {
    const { status, stderr } = await cli.command(['api', name])
    assert.ok(status <= 5, `${name}: ${stderr}`)
    assert.ok(calledOperations().has(name), `${name} was not called: ${stderr}`)
    if (status === 0) continue
    assert.doesNotMatch(stderr, /no operation/i, name)
  }
  assert.ok(names.length > 130)

  function calledOperations() {
    return new Set(cli.berth.logged.map(({ fields }) => fields?.op))
  }
})

async function api(...words: string[]): Promise<Record<string, unknown>> {
  return JSON.parse(await cli.ok('api', ...words)) as Record<string, unknown>
}
