/** testssl.sh at Berth's port (`./berth test tls`). It takes 90 seconds. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { host, startBerthByHttps } from './berth-by-https.ts'

interface Finding {
  id: string
  severity: string
  finding: string
}

/** Findings that follow from an authority of one's own. Its certificates are short, and replaced instead of revoked. */
const ofPrivateAuthority = ['cert_revocation']
/** Checks that testssl could not make. sslscan makes this one. */
const unchecked = ['secure_renego']

test('finds nothing above LOW at the port of Berth, for a client that trusts the authority', async (t) => {
  await using berth = await startBerthByHttps()
  using folder = mkdtempDisposableSync(join(tmpdir(), 'berth-testssl-'))
  const [ca, json] = [join(folder.path, 'ca.pem'), join(folder.path, 'findings.json')]
  writeFileSync(ca, berth.ca)
  const options = ['--quiet', '--color', '0', '--ip', '127.0.0.1', '--add-ca', ca, '--jsonfile', json]
  // Its exit status is the number of findings of some kinds.
  await promisify(execFile)('testssl', [...options, `https://${host}:${berth.httpsPort}/`]).catch(() => undefined)
  const findings = JSON.parse(readFileSync(json, 'utf8')) as Finding[]
  assert.ok(findings.length > 100, `${findings.length} findings`)
  const above = findings.filter(({ severity }) => ['MEDIUM', 'HIGH', 'CRITICAL', 'FATAL'].includes(severity))
  for (const { id, severity, finding } of findings) {
    if (!['OK', 'INFO'].includes(severity)) t.diagnostic(`${severity} ${id}: ${finding}`)
  }
  const unexpected = above.filter(({ id }) => !ofPrivateAuthority.includes(id))
  assert.deepEqual(unexpected, [])
  const warnings = findings.filter(({ severity, id }) => severity === 'WARN' && !unchecked.includes(id))
  assert.deepEqual(warnings, [])
})
