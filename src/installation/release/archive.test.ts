/** The archive of a release is unpacked with the modes and the owner of an installed release, whatever it contains. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { unpackArchive } from './archive.ts'
import { layoutIn } from './layout.ts'

test('unpacks no setuid or setgid bit, no write access of others and no owner', async (t) => {
  const folder = temporaryFolder(t)
  const source = join(folder, 'berth')
  mkdirSync(join(source, 'bin'), { recursive: true })
  const manifest = JSON.stringify({ version: '1.2.3', os: [process.platform], cpu: [process.arch] })
  const texts = { 'package.json': manifest, 'bin/berth': '#!/bin/sh', LICENSE: 'text' }
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(source, path), text)
  const sums = Object.entries(texts).map(
    ([path, text]) => `${createHash('sha256').update(text).digest('hex')}  ${path}`,
  )
  writeFileSync(join(source, 'SHA256SUMS'), `${sums.join('\n')}\n`)
  chmodSync(join(source, 'bin/berth'), 0o6777)
  chmodSync(join(source, 'bin'), 0o3777)
  chmodSync(join(source, 'LICENSE'), 0o2666)
  const archive = join(folder, 'release.tar.gz')
  execFileSync('tar', ['-czf', archive, '--owner=12345', '--group=12345', '--numeric-owner', '-C', folder, 'berth'])

  const layout = layoutIn(join(folder, 'root'))
  mkdirSync(layout.programs, { recursive: true })
  const release = await unpackArchive(layout, archive)
  const found = ['.', 'bin', 'bin/berth', 'LICENSE'].map((path) => {
    const { mode, uid } = statSync(join(release.folder, path))
    return [path, (mode & 0o7777).toString(8), uid]
  })
  const uid = process.getuid!()
  assert.deepEqual(found, [
    ['.', '755', uid],
    ['bin', '755', uid],
    ['bin/berth', '755', uid],
    ['LICENSE', '644', uid],
  ])
})
