/** The examples of docs/api.md for the shell, as they stand there. Only the address is replaced. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { installationToken, startBerth } from '../fixtures/harness.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8')

/** The first block of code after a heading. */
function blockAfter(heading: string): string {
  const [, block] = /```sh\n(.*?)```/s.exec(page.slice(page.indexOf(`\n## ${heading}\n`)))!
  return block!
}

test('the calls of the shell sign in, create a database and change it with its tag', async () => {
  await using berth = await startBerth()
  await berth.call('auth.createAdmin', { email: 'you@example.org', password: 'correct horse' }, installationToken)
  const begin = blockAfter('Calls from a shell').replace(/^BERTH_URL=.*/, `BERTH_URL=${await berth.listen()}`)
  const edit = blockAfter('Edit without overwriting others').replace('"name":"orders"', '"name":"renamed"')
  const script = [begin, edit, 'call postgres.update -H "If-Match: $etag" -d \'{"postgresId":"\'$database\'"}\''].join(
    '\n',
  )
  const { stdout } = await promisify(execFile)('sh', ['-euc', script])
  const [changed, refused] = stdout
    .replace('}{', '}\n{')
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.equal(changed!.name, 'renamed')
  assert.equal(refused!.code, 'PRECONDITION_FAILED')
})
