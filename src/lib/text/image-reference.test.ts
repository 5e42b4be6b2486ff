/** Tests references from the tests of the Distribution project, and names without a host as Docker reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../test/fixtures/processor-time.ts'
import { parseImage, repositoryOf, sameRepository } from './image-reference.ts'

const sha256 = `sha256:${'f'.repeat(64)}`
const sha512 = `sha512:${'0'.repeat(128)}`

type Row = [text: string, registry: string | null, path: string, tag: string | null, digest?: string]

const valid: Row[] = [
  ['postgres', null, 'postgres', null],
  ['postgres:15', null, 'postgres', '15'],
  ['postgres:17-bookworm', null, 'postgres', '17-bookworm'],
  ['test.com:5000', null, 'test.com', '5000'],
  ['foo_bar.com:8080', null, 'foo_bar.com', '8080'],
  ['192.168.1.1:tag', null, '192.168.1.1', 'tag'],
  ['bitnami/postgresql:16', null, 'bitnami/postgresql', '16'],
  ['team/sub/postgres', null, 'team/sub/postgres', null],
  ['lowercase:Uppercase', null, 'lowercase', 'Uppercase'],
  ['team/a__b-c---d.e', null, 'team/a__b-c---d.e', null],
  ['docker.io/library/postgres:15', 'docker.io', 'library/postgres', '15'],
  ['localhost/postgres', 'localhost', 'postgres', null],
  ['test:5000/repo', 'test:5000', 'repo', null],
  ['test:5000/repo:tag', 'test:5000', 'repo', 'tag'],
  ['Host/postgres', 'Host', 'postgres', null],
  ['xn--n3h.com:18080/myimage:xn--n3h.com', 'xn--n3h.com:18080', 'myimage', 'xn--n3h.com'],
  ['b.gcr.io/test.example.com/my-app:t', 'b.gcr.io', 'test.example.com/my-app', 't'],
  ['[2001:db8::1]:5000/repo:tag', '[2001:db8::1]:5000', 'repo', 'tag'],
  ['[::1]/repo', '[::1]', 'repo', null],
  [`postgres@${sha256}`, null, 'postgres', null, sha256],
  [`test:5000/repo:tag@${sha512}`, 'test:5000', 'repo', 'tag', sha512],
  [`p:${'t'.repeat(128)}`, null, 'p', 't'.repeat(128)],
  [`h.io/${'a'.repeat(250)}`, 'h.io', 'a'.repeat(250), null],
]

test('splits a reference into its parts', () => {
  for (const [text, registry, path, tag, digest = null] of valid) {
    assert.deepEqual(parseImage(text), { registry, path, tag, digest }, text)
  }
})

const invalid = [
  '',
  ' ',
  ':tag',
  '/',
  '/postgres',
  'postgres/',
  'a//b',
  'postgres:',
  'postgres:15:16',
  'postgres:-15',
  'postgres@',
  'Uppercase:tag',
  'test:5000/Uppercase/lower',
  'post gres',
  'postgres:15 ',
  'postgres\n',
  'a..b',
  'a___b',
  '_a',
  'a-',
  'aa/asdf$$^/aa',
  'h.io:port/p',
  '-h.io/p',
  'h_x.io/p',
  '[::1]',
  '[fe80::1%eth0]:5000/repo',
  'http://h.io/p',
  'é/p',
  `@${sha256}`,
  'repo@sha256:ffff',
  `repo@md5:${'f'.repeat(32)}`,
  `repo@sha256:${'F'.repeat(64)}`,
  'f'.repeat(64),
  `p:${'t'.repeat(129)}`,
  'a'.repeat(256),
  `h.io/${'a'.repeat(251)}`,
  'a/'.repeat(5000),
]

test('refuses texts that Docker refuses', () => {
  for (const text of invalid) assert.equal(parseImage(text), null, text)
})

test('refuses a long invalid text in little time', () => {
  const took = processorMs(() => {
    for (let index = 0; index < 1000; index++) parseImage(`${'a-'.repeat(250)}!`)
  })
  assert.ok(took < 1000, `${took} ms`)
})

test('recognizes references to the same repository', () => {
  const digest = `@sha256:${'a'.repeat(64)}`
  const same: [string, string][] = [
    ['mysql', `mysql${digest}`],
    ['mysql:8.0', `docker.io/library/mysql:8${digest}`],
    ['docker.io/team/db:1', 'team/db'],
    [`localhost:5000/db:1${digest}`, 'localhost:5000/db'],
  ]
  for (const [a, b] of same) assert.ok(sameRepository(a, b), `${a} ${b}`)
  const other: [string, string][] = [
    ['mysql', 'team/mysql'],
    ['localhost:5000/db', 'localhost:5001/db'],
    ['registry.example.com/mysql', 'mysql'],
  ]
  for (const [a, b] of other) assert.ok(!sameRepository(a, b), `${a} ${b}`)
  assert.equal(repositoryOf(`localhost:5000/team/db:1${digest}`), 'localhost:5000/team/db')
  assert.equal(repositoryOf('localhost:5000/team/db'), 'localhost:5000/team/db')
})
