/** Tests of the words of the command line in messages of the API. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createClient } from '../../client/client.ts'
import { commandOfOperation, inCommands, inOptions } from '../../cli/terminal/words.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

test('puts options in place of the fields that a command sets by them', () => {
  const message = 'memoryLimit: must be a number; cpuLimit: must be at least 1; the memoryLimit: stays'
  assert.equal(
    inOptions(message, ['--memory']),
    '--memory: must be a number; cpuLimit: must be at least 1; the memoryLimit: stays',
  )
})

test('puts commands in place of operations', () => {
  assert.equal(inCommands('It is stopped. Call mysql.start'), 'It is stopped. Type berth start')
  assert.equal(inCommands('Call mysql.start with anew: true to begin'), 'Type berth start --anew to begin')
  assert.equal(inCommands('cluster.getNodes lists all nodes'), 'berth node ls lists all nodes')
  assert.equal(inCommands('Call mysql.one or ask example.org'), 'Call mysql.one or ask example.org')
})

test('each operation and each command of the table exists', async () => {
  const client = createClient({ url: cli.url }) as unknown as Record<string, Record<string, unknown>>
  for (const [operation, command] of Object.entries(commandOfOperation)) {
    const [group, verb] = operation.split('.')
    const isKnown = typeof client[group!]?.[verb!] === 'function' || operation === 'redis.move'
    assert.ok(isKnown, operation)
    await cli.ok(...command.split(' ').slice(1), '--help')
  }
})

test('a refusal names the option, and berth api the field', async () => {
  const create = ['create', 'postgres', 'orders', '--project', 'shop', '--no-deploy']
  const wrong = await cli.command([...create, '--memory', '1'])
  assert.match(wrong.stderr, /^error: --memory: /m)
  const raw = await cli.command(['api', 'project.create', '--name', 'x'.repeat(300)])
  assert.match(raw.stderr, /^error: name: /m)
})
