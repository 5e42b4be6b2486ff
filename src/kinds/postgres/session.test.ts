/** The program that starts psql for a person, run by a shell with a stand-in for psql. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { textFile } from '../../lib/text-file.ts'

const standIn = `#!/bin/sh
case $1 in --version) printf '%s' "$VERSION"; exit ;; esac
printf '%s|' "$PGPASSWORD" "$PGOPTIONS" "$@"
`

test('asks only servers since 14 to notice that the client is gone, whatever psql says about its version', (t) => {
  const folder = temporaryFolder(t)
  const secretPath = join(folder, 'secret')
  writeFileSync(secretPath, 'secret')
  writeFileSync(join(folder, 'psql'), standIn)
  chmodSync(join(folder, 'psql'), 0o755)
  const program = textFile('kinds/postgres/programs/session.sh', { secretPath })
  const interval = '-c client_connection_check_interval=5s'
  for (const [version, options] of [
    ['psql (PostgreSQL) 17.2 (Debian 17.2-1.pgdg120+1)\n', interval],
    ['psql (PostgreSQL) 14.0', interval],
    ['psql (PostgreSQL) 18beta1', interval],
    ['psql (EnterpriseDB) 16.4.1', interval],
    ['psql (PostgreSQL) 13.9', ''],
    ['psql (PostgreSQL) 9.6.24', ''],
    ['psql (PostgreSQL) devel', ''],
    ['psql', ''],
    ['', ''],
  ] as const) {
    const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, VERSION: version, PGOPTIONS: '-c x=y' }
    const { stdout, stderr } = spawnSync('sh', ['-c', program, 'berth', '-c', 'select 1'], { env, encoding: 'utf8' })
    assert.deepEqual([stdout, stderr], [`secret|${options}|--no-password|-c|select 1|`, ''], version)
  }
})
