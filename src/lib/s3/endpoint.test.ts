/** Tests the URL of an endpoint and path style. test/backups/destination.test.ts tests which endpoints are accepted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointUrl, isBucketName, maxPartsOf, wantsPathStyle, withoutBucket } from './endpoint.ts'

test('adds https to a host without a scheme, and keeps the scheme, port and path of a URL', () => {
  const cases = {
    's3.example.org': 'https://s3.example.org/',
    'localhost:9000': 'https://localhost:9000/',
    'http://10.0.0.1:9000': 'http://10.0.0.1:9000/',
    'HTTPS://X.example/a/s3': 'https://x.example/a/s3',
  }
  for (const [text, expected] of Object.entries(cases)) assert.equal(endpointUrl(text)?.href, expected)
})

test('puts the bucket into the path, except for providers that need it in the host name', () => {
  const isPath = (endpoint: string, bucket = 'backups') => wantsPathStyle(endpointUrl(endpoint)!, bucket)
  assert.deepEqual(
    [isPath('minio:9000'), isPath('s3.eu-central-1.amazonaws.com'), isPath('https://oss.aliyuncs.com')],
    [true, false, false],
  )
  assert.deepEqual([isPath('s3.amazonaws.com', 'a.b'), isPath('amazonaws.com.example.org')], [true, true])
  for (const bucket of ['ShopBackups', 'shop_backups', 'a'.repeat(64)])
    assert.ok(isPath('s3.amazonaws.com', bucket), bucket)
})

test('accepts the bucket names of all providers', () => {
  for (const name of ['shop', 'a.b.c', 'ShopBackups', 'shop_backups', '10.0.0.1', 'a'.repeat(255)])
    assert.ok(isBucketName(name), name)
  for (const name of ['', 'ab', '..', '...', 'a/b', 'a b', 'ü-bucket', 'a?b', 'a'.repeat(256)])
    assert.ok(!isBucketName(name), name)
})

test('finds the bucket in an endpoint', () => {
  const cases: [endpoint: string, expected: string | null][] = [
    ['https://id.r2.cloudflarestorage.com/shop', 'https://id.r2.cloudflarestorage.com/'],
    ['http://127.0.0.1:9000/shop/', 'http://127.0.0.1:9000/'],
    ['https://x.example/s3/shop', 'https://x.example/s3'],
    ['https://shop.s3.eu-west-1.amazonaws.com', 'https://s3.eu-west-1.amazonaws.com/'],
    ['shop.fra1.digitaloceanspaces.com/', 'https://fra1.digitaloceanspaces.com/'],
    ['https://x.example/shop/s3', null],
    ['https://shopping.example/', null],
    ['https://shop.local/', null],
    ['https://s3.example.org', null],
  ]
  for (const [endpoint, expected] of cases)
    assert.equal(withoutBucket(endpointUrl(endpoint)!, 'shop')?.href ?? null, expected, endpoint)
})

test('knows how many parts a provider allows', () => {
  assert.deepEqual(
    ['s3.fr-par.scw.cloud', 'minio:9000'].map((host) => maxPartsOf(endpointUrl(host)!)),
    [1000, 10_000],
  )
})
