import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure } from '../failures.ts'
import { checkFilesWritten, type VolumeFiles, writeFilesJob } from './volume-files.ts'

const request: VolumeFiles = {
  volume: 'v',
  nodeId: 'n',
  image: 'i:1',
  owner: 'postgres',
  labels: { a: 'b' },
  files: [{ name: 'server-key.pem', content: 'secret', mode: 0o600 }],
  recordId: 'r',
}

test('passes the files apart from the program, which has no network and may only change owners', () => {
  const { argv, files, volumes, capabilities, hasNetwork, keepsImageDefaults } = writeFilesJob(request)
  assert.deepEqual(argv.slice(3), ['berth', '/etc/berth/volume', 'postgres', '/etc/berth/staging', 'server-key.pem'])
  assert.ok(!JSON.stringify(argv).includes('secret'))
  assert.deepEqual(files, [{ path: '/etc/berth/staging/server-key.pem', content: 'secret', mode: 0o600 }])
  assert.deepEqual(volumes, [{ name: 'v', path: '/etc/berth/volume', labels: { a: 'b' } }])
  assert.deepEqual([capabilities, hasNetwork, keepsImageDefaults], [['CHOWN'], false, undefined])
})

test('refuses names that are not plain', () => {
  for (const name of ['', '.', '..', '.hidden', 'a/b', 'a b', 'a\nb', '../x', `${'x'.repeat(62)}`]) {
    const files = [{ name, content: '', mode: 0o600 }]
    assert.throws(() => writeFilesJob({ ...request, files }), EngineFailure, name)
  }
})

test('reports the last lines of a job that failed', () => {
  checkFilesWritten(request, { exitCode: 0, outOfMemory: false, lastLines: 'a warning' })
  const failed = (lastLines: string) => () => checkFilesWritten(request, { exitCode: 1, outOfMemory: false, lastLines })
  assert.throws(failed('no space left'), /the volume v: no space left/)
  assert.throws(failed(''), /the volume v: exit code 1/)
})
