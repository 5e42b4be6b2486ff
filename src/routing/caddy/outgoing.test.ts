/** The environment of the proxy's processes for the outgoing proxy. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '../../config.ts'
import { allPrograms } from './launch.ts'
import { outgoingContent, outgoingFile, outgoingIn, outgoingVariables, withoutOutgoing } from './outgoing.ts'

const url = 'http://ann:pa%24(id)%20s@proxy.example:3128/'
const env = { HTTPS_PROXY: url, HTTP_PROXY: 'plain.example', NO_PROXY: 'a.example 10.0.0.0/8' }
const { proxySettings } = parseConfig(env)
const direct = 'a.example,10.0.0.0/8,127.0.0.1'
const variables = { HTTP_PROXY: 'http://plain.example/', HTTPS_PROXY: url, NO_PROXY: direct }

test('only the process that asks the ACME directory gets the outgoing proxies', () => {
  assert.deepEqual(outgoingVariables('keys', proxySettings), variables)
  for (const name of ['front', 'rules'] as const) assert.deepEqual(outgoingVariables(name, proxySettings), {})
  const one = parseConfig({ HTTPS_PROXY: url }).proxySettings
  assert.deepEqual(outgoingVariables('keys', one), { HTTPS_PROXY: url, NO_PROXY: '127.0.0.1' })
  assert.deepEqual(outgoingVariables('keys', parseConfig({ NO_PROXY: 'a.example' }).proxySettings), {})
})

test('no process inherits the variables of Berth', () => {
  assert.deepEqual(withoutOutgoing({ ...env, https_proxy: 'a', All_Proxy: 'b', PATH: '/bin' }), { PATH: '/bin' })
})

test('the script of the service gives the outgoing proxy to the process keys only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-outgoing-'))
  try {
    const caddy = join(folder, 'caddy')
    // Instead of Caddy, a program that writes its environment. The end of the others must not end the test.
    writeFileSync(caddy, '#!/bin/sh\nenv > "$BERTH_PROXY/env-$(basename "$XDG_CONFIG_HOME")"\n')
    chmodSync(caddy, 0o700)
    writeFileSync(outgoingFile(folder), outgoingContent(proxySettings)!)
    const { argv, env: paths } = allPrograms(folder, 'digest')
    const script = `kill() { :; }\n${argv[2]!.replace('exec caddy', 'caddy')}\nwait`
    execFileSync('/bin/sh', ['-c', script], { env: { ...paths, PATH: `${folder}:/usr/bin:/bin` } })
    const shown = (name: string) =>
      outgoingIn(
        Object.fromEntries(
          readFileSync(join(folder, `env-${name}`), 'utf8')
            .split('\n')
            .map((line) => line.split(/=(.*)/s, 2)),
        ),
      )
    assert.deepEqual([shown('keys'), shown('front'), shown('rules')], [variables, {}, {}])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
