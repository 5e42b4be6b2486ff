/** The ear of the harness: it must notice what it is there for. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { spokenSecrets } from './spoken-secrets.ts'

const secret = 'p4ss w0rd of eve'

const spokenIn: [what: string, said: unknown][] = [
  ['an input', { databasePassword: secret }],
  ['an answer', { account: { accessToken: secret } }],
  ['a list', [{ recoveryCodes: ['other codes', secret] }]],
]
for (const [what, said] of spokenIn) {
  test(`a secret of ${what} is found in the store and in the log`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-spoken-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const spoken = spokenSecrets()
    spoken.hear(said)
    writeFileSync(join(folder, 'berth.db'), 'nothing of it')
    spoken.check(folder, [])
    assert.throws(() => spoken.check(folder, [{ event: 'request', fields: { text: `with ${secret}` } }]), /the log has/)
    writeFileSync(join(folder, 'berth.db-wal'), `before ${secret} after`)
    assert.throws(() => spoken.check(folder, []), /the store holds in clear/)
  })
}

test('what was said openly too is no secret', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-spoken-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const spoken = spokenSecrets()
  spoken.hear({ password: secret, name: secret })
  spoken.check(folder, [secret])
})
