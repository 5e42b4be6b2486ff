/** The command that fetches an object, for each kind of destination. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchCommand } from './fetch-command.ts'

test('fetches an object from a bucket', () => {
  assert.equal(
    fetchCommand({ kind: 's3', endpoint: 's3.example.org', bucket: 'dumps', accessKey: 'A' }, 'a/b.zst', '.'),
    'aws s3 cp --endpoint-url https://s3.example.org s3://dumps/a/b.zst .',
  )
})

test('fetches an object from a folder of an SFTP server', () => {
  const server = { kind: 'sftp', bucket: '/srv/backups', accessKey: 'berth' } as const
  for (const endpoint of ['10.0.0.7:2222', 'sftp://10.0.0.7:2222/']) {
    assert.equal(
      fetchCommand({ ...server, endpoint }, 'a/b.zst', '.'),
      'sftp sftp://berth@10.0.0.7:2222//srv/backups/a/b.zst .',
    )
  }
})
