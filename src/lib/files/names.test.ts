/** The paths of objects, and the names of files that are not complete. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderOfPrefix, foldersOf, isListed, pathOf, putPath, uploadIn, uploadPath } from './names.ts'

test('every key has a path below the folder, or none', () => {
  assert.equal(pathOf('/srv', 'a/b.zst'), '/srv/a/b.zst')
  assert.equal(pathOf('/', '.hidden/b'), '/.hidden/b')
  for (const key of [
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    'a/./b',
    'a\0',
    '.a.berth-put',
    'a/.b.1.berth-upload',
  ]) {
    assert.equal(pathOf('/srv', key), null, key)
  }
})

test('the file of an upload lies beside the object, is not listed, and names its upload', () => {
  const id = '0123456789abcdef'
  const path = uploadPath('/srv/a/b.zst', id)
  assert.equal(path, `/srv/a/.b.zst.${id}.berth-upload`)
  const name = path.split('/').at(-1)!
  assert.deepEqual(uploadIn(name), { name: 'b.zst', uploadId: id })
  const put = putPath('/srv/a/b.json').split('/').at(-1)!
  assert.deepEqual([isListed(name), isListed(put), uploadIn(put), isListed('b.zst')], [false, false, null, true])
})

test('finds the folders above a key and the folder of a prefix', () => {
  assert.deepEqual(foldersOf('/srv', 'a/b/c'), ['/srv/a', '/srv/a/b'])
  assert.deepEqual(foldersOf('/', 'a/b'), ['/a'])
  assert.deepEqual(['', 'a', 'a/', 'a/b', '../', 'a//', '/'].map(folderOfPrefix), [
    '',
    '',
    'a/',
    'a/',
    null,
    null,
    null,
  ])
})
