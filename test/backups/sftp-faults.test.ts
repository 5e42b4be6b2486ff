/** Objects on an SFTP server that fails in several ways. An object is either complete under its key, or not there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { egressOf } from '../../src/lib/net/egress.ts'
import { AbandonedUpload } from '../../src/lib/storage/faults.ts'
import type { StorageOptions } from '../../src/lib/storage/storage.ts'
import { openSftp, type SftpSettings } from '../../src/lib/sftp/sftp.ts'
import { type Faults, type MemorySftp, memorySftp } from './memory-sftp.ts'
import { bytesOf } from './storage-suite.ts'

const MiB = 1024 ** 2
const { signal } = new AbortController()

const open = (server: MemorySftp, options: StorageOptions = {}, over: Partial<SftpSettings> = {}) =>
  openSftp({ ...server.settings, ...over }, { waitMs: 1, ...options })

const whole = async (source: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(source))

test('an upload continues after its connection was cut, and sends again what was not acknowledged', async () => {
  await using server = await memorySftp({ cutAfterBytes: 5 * MiB + 7 })
  using storage = open(server)
  await storage.upload('a/dump', bytesOf(13 * MiB), { signal })
  assert.ok((await whole(storage.get('a/dump'))).equals(await whole(bytesOf(13 * MiB))))
  assert.deepEqual([server.connections(), [...server.files.keys()]], [2, ['/backups/a/dump']])
})

test('reading continues after its connection was cut, and takes short answers', async () => {
  await using server = await memorySftp({ maxReadBytes: 10_000 })
  using storage = open(server)
  await storage.upload('a/dump', bytesOf(3 * MiB), { signal })
  server.faults.cutReadAfterBytes = 2 * MiB
  assert.ok((await whole(storage.get('a/dump'))).equals(await whole(bytesOf(3 * MiB))))
  assert.equal(server.connections(), 2)
})

test('reading fails if the object is replaced after the connection was cut', async () => {
  await using server = await memorySftp()
  using storage = open(server)
  await storage.upload('a/dump', bytesOf(3 * MiB), { signal })
  const read = async () => {
    for await (const _ of storage.get('a/dump')) {
      if (server.faults.cutReadAfterBytes === undefined && server.connections() === 1) {
        server.faults.cutReadAfterBytes = 0
        server.files.set('/backups/a/dump', Buffer.alloc(3 * MiB + 1))
      }
    }
  }
  await assert.rejects(read(), { name: 'StorageFault', kind: 'changed' })
})

const failed: [title: string, faults: Faults, kind: string][] = [
  ['its disk is full', { diskBytes: 5 * MiB }, 'answer'],
  ['the user may not write', { readOnly: '/backups' }, 'rights'],
]
for (const [title, faults, kind] of failed) {
  test(`an upload to a server fails and leaves nothing if ${title}`, async () => {
    await using server = await memorySftp()
    Object.assign(server.faults, faults)
    using storage = open(server)
    const upload = storage.upload('a/dump', bytesOf(13 * MiB), { signal })
    await assert.rejects(upload, (error: Error) => {
      const cause = error instanceof AbandonedUpload ? (error.cause as Error) : error
      assert.equal((cause as unknown as { kind: string }).kind, kind)
      return true
    })
    assert.deepEqual([...server.files], [])
  })
}

test('an upload that is cut for good leaves only a file with another name, which the clean-up finds and removes', async () => {
  await using server = await memorySftp()
  using storage = open(server, { attempts: 1 })
  let uploadId = ''
  const source = async function* () {
    yield* bytesOf(9 * MiB)
    // From now on Berth does not sign in any more.
    server.changeHostKey()
    yield* bytesOf(9 * MiB)
  }
  const onBegun = (id: string) => {
    uploadId = id
  }
  await assert.rejects(storage.upload('a/dump', source(), { signal, onBegun }), (error: Error) => {
    assert.ok(error instanceof AbandonedUpload)
    assert.equal(error.uploadId, uploadId)
    return true
  })
  assert.deepEqual([...server.files.keys()], [`/backups/a/.dump.${uploadId}.berth-upload`])
  const shownKey = await assert
    .rejects(storage.head('a/dump'), { name: 'StorageFault', kind: 'hostKey' })
    .then(() => storage.head('a/dump').catch((error: unknown) => (error as { shownKey: string }).shownKey))
  using again = open(server, {}, { hostKey: shownKey as string })
  assert.deepEqual((await again.list('', 10)).objects, [])
  const [left, ...others] = await again.listUploads('')
  assert.deepEqual([left?.key, left?.uploadId, others], ['a/dump', uploadId, []])
  await again.abortUpload('a/dump', uploadId)
  assert.deepEqual([...server.files], [])
})

test('an object whose bytes the server did not keep does not get its name', async () => {
  await using server = await memorySftp({ keepsOtherBytes: true })
  using storage = open(server)
  await assert.rejects(storage.put('a/manifest', Buffer.from('text')), { name: 'StorageFault', kind: 'answer' })
  assert.equal(await storage.head('a/manifest'), null)
})

test('a server that answers nothing fails after the idle limit, and a call can be aborted before', async () => {
  await using server = await memorySftp()
  server.faults.isStalled = true
  using storage = open(server, { attempts: 1, idleMs: 300 })
  await assert.rejects(storage.head('a/b'), { name: 'StorageFault', kind: 'timeout' })
  using patient = open(server, { attempts: 1 })
  const controller = new AbortController()
  const call = patient.head('a/b', controller.signal)
  controller.abort(new Error('cancelled'))
  await assert.rejects(call, /cancelled/)
})

test('sends no password to a server with another host key, and names both keys', async () => {
  await using server = await memorySftp()
  const before = server.settings.hostKey!
  using storage = open(server)
  await storage.put('a/b', Buffer.from('text'))
  const logins = server.logins.length
  server.changeHostKey()
  await assert.rejects(storage.put('a/b', Buffer.from('text')), (error: Error) => {
    const fault = error as Error & { kind: string; shownKey: string }
    assert.deepEqual([fault.kind, fault.shownKey === before], ['hostKey', false])
    for (const key of [before, fault.shownKey]) assert.ok(fault.message.includes(key))
    return true
  })
  using unpinned = open(server, { attempts: 1 }, { hostKey: null })
  await assert.rejects(unpinned.head('a/b'), { kind: 'hostKey' })
  assert.equal(server.logins.length, logins)
})

const refused: [title: string, over: Partial<SftpSettings>, kind: string][] = [
  ['a wrong password', { secret: 'a-wrong-password' }, 'login'],
  ['an unknown user', { user: 'nobody' }, 'login'],
  ['a key that cannot be read', { secret: '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n' }, 'secretAccessKey'],
  ['a missing folder', { folder: '/none' }, 'bucket'],
  ['a port on which nothing listens', { port: 9 }, 'refused'],
  ['a metadata service', { host: '169.254.169.254', port: 22 }, 'egress'],
]
for (const [title, over, kind] of refused) {
  test(`explains ${title}`, async () => {
    await using server = await memorySftp()
    using storage = open(server, { attempts: 1, egress: egressOf([]) }, over)
    await assert.rejects(storage.put('a/b', Buffer.from('text')), (error: Error) => {
      assert.deepEqual([error.name, (error as unknown as { kind: string }).kind], ['StorageFault', kind])
      assert.ok(!error.message.includes(server.settings.secret) && !error.message.includes('a-wrong-password'))
      return true
    })
    assert.equal((await open(server).list('', 10)).objects.length, 0)
  })
}

test('a list leaves out a folder that may not be read, unless it was asked for', async () => {
  await using server = await memorySftp()
  using storage = open(server)
  await storage.put('a/b', Buffer.from('text'))
  server.folders.add('/backups/lost+found')
  server.faults.unreadable = '/backups/lost+found'
  assert.deepEqual(
    (await storage.list('', 10)).objects.map(({ key }) => key),
    ['a/b'],
  )
  assert.deepEqual(await storage.listUploads(''), [])
  await assert.rejects(storage.list('lost+found/', 10), { kind: 'rights' })
})

test('no key leads out of the folder', async () => {
  await using server = await memorySftp()
  server.files.set('/outside', Buffer.from('secret'))
  using storage = open(server)
  for (const key of ['../outside', 'a/../../outside', '/outside', 'a//b', './a', '', 'a/', '.x.berth-put']) {
    await assert.rejects(whole(storage.get(key)), { kind: 'missing' }, key)
    assert.equal(await storage.head(key), null, key)
    await assert.rejects(storage.put(key, Buffer.from('x')), { name: 'StorageFault' }, key)
    await assert.rejects(storage.remove([key]), { name: 'StorageFault' }, key)
    await assert.rejects(storage.upload(key, bytesOf(1), { signal }), { name: 'StorageFault' }, key)
  }
  assert.deepEqual([...server.files.keys()], ['/outside'])
})
