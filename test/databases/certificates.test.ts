/** Certificates of running servers: a refused replacement is taken back, and a rotation waits for all servers. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { EngineFailure, type Outcome } from '../../src/engine/engine.ts'
import { JobStopped } from '../../src/engine/job.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { serverAddress, serverTlsOf } from '../../src/kinds/server-tls.ts'
import { untilPresent } from '../conditions/conditions.ts'
import { credentialsIn, type Database, databaseClientsOf, isAllowPlain } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { createKeptVolume } from './volumes.ts'

const kind = kindNamed('postgres')
const hourMs = 3600_000
/** How often Berth counts the connections. */
const countMs = 10 * 60_000

interface Certificate {
  names: string[]
  fingerprint256: string
  notBefore: string
  servedSince: string | null
  reason: string | null
  reasonCode: string | null
  plainConnections: number | null
}

/** Starts a database whose server presents its certificate. `reloads.outcome` is the outcome of each reload. */
async function startServed() {
  const testBerth = await startTestBerth()
  const clients = databaseClientsOf(testBerth, kind)
  const database = await clients.createDeployed()
  const reloads: { outcome: Outcome | null; count: number } = { outcome: null, count: 0 }
  const { answer } = testBerth.engine
  testBerth.engine.answer = (task, program) => {
    const address = serverAddress(kind, task.address!, serverTlsOf(kind, 'allow', database.appName, ''))
    const isReload = isDeepStrictEqual(program, kind.tls!.reload(credentialsIn(database, kind), address))
    if (isReload) reloads.count++
    return isReload && reloads.outcome !== null ? reloads.outcome : answer(task, program)
  }
  const certificate = async () => {
    const input = { [kind.idField]: clients.idOf(database) }
    return (await testBerth.ok<{ certificate: Certificate }>(`${kind.name}.one`, input)).certificate
  }
  const untilCertificate = (isExpected: (certificate: Certificate) => boolean) =>
    testBerth.until('the certificate', async () => {
      testBerth.app.wake('certificates')
      const found = await certificate()
      return isExpected(found) ? found : null
    })
  const digest = async () =>
    (await testBerth.app.db.selectFrom('tlsVolume').select('digest').executeTakeFirst())!.digest
  const first = await untilCertificate(({ servedSince }) => servedSince !== null)
  return { testBerth, clients, database, reloads, untilCertificate, digest, first }
}

const refusal: Outcome = { exitCode: 1, stdout: '', stderr: 'key values mismatch' }

describe('certificates of running servers', { concurrency: true }, () => {
  test('a server that refuses a new certificate gets the former one back, and the new one later', async () => {
    const { testBerth, clients, database, reloads, untilCertificate, digest, first } = await startServed()
    await using _ = testBerth
    const written = await digest()
    reloads.outcome = refusal
    await clients.ok('update', database, { tlsNames: ['db.example.org'] })
    const refused = await untilCertificate(({ reasonCode }) => reasonCode !== null)
    assert.deepEqual([refused.reasonCode, refused.fingerprint256], ['CertificateRefused', first.fingerprint256])
    assert.match(refused.reason!, /key values mismatch/)
    assert.equal(await digest(), written, 'the former files are in the volume')
    assert.equal(reloads.count, 2, 'the server reads the former files again')
    const rows = await testBerth.app.db.selectFrom('databaseCertificate').select('state').execute()
    assert.deepEqual(rows, [{ state: 'current' }])
    reloads.outcome = null
    testBerth.pass(hourMs)
    const replaced = await untilCertificate(({ reasonCode }) => reasonCode === null)
    assert.notEqual(replaced.fingerprint256, first.fingerprint256)
    assert.ok(replaced.names.includes('db.example.org') && replaced.servedSince !== null)
    assert.notEqual(await digest(), written)
  })

  test('a failure of the engine is a reason until the step succeeds, with the same certificate', async () => {
    const { testBerth, clients, database, untilCertificate, first } = await startServed()
    await using _ = testBerth
    const next = () =>
      testBerth.app.db.selectFrom('databaseCertificate').select('fingerprint').where('state', '=', 'next').execute()
    const { answer } = testBerth.engine
    testBerth.engine.answer = () => {
      throw new EngineFailure('missing', 'No such image: node:26-slim')
    }
    await clients.ok('update', database, { tlsNames: ['db.example.org'] })
    const failed = await untilCertificate(({ reasonCode }) => reasonCode !== null)
    assert.deepEqual([failed.reasonCode, failed.fingerprint256], ['CertificateNotReplaced', first.fingerprint256])
    assert.match(failed.reason!, /No such image: node:26-slim/)
    const [stored] = await next()
    testBerth.engine.answer = answer
    testBerth.pass(60_000)
    const replaced = await untilCertificate(({ reasonCode }) => reasonCode === null)
    assert.equal(replaced.fingerprint256, stored!.fingerprint)
    assert.deepEqual(await next(), [])
  })

  test('a next certificate that waited until it was out of date is not used', async () => {
    const { testBerth, clients, database, untilCertificate } = await startServed()
    await using _ = testBerth
    const { answer } = testBerth.engine
    testBerth.engine.answer = () => {
      throw new EngineFailure('missing', 'No such image: node:26-slim')
    }
    await clients.ok('update', database, { tlsNames: ['db.example.org'] })
    await untilCertificate(({ reasonCode }) => reasonCode !== null)
    await clients.ok('update', database, { tlsNames: ['other.example.org'] })
    let written = 0
    testBerth.engine.onWriteFiles = () => {
      written++
    }
    testBerth.engine.answer = answer
    testBerth.pass(60_000)
    const { names } = await untilCertificate(({ reasonCode }) => reasonCode === null)
    assert.ok(names.includes('other.example.org') && !names.includes('db.example.org'))
    assert.equal(written, 1)
  })

  test('a certificate that was issued while the clock was ahead is replaced, or not used at all', async () => {
    const { testBerth, clients, database, untilCertificate } = await startServed()
    await using _ = testBerth
    const isValid = ({ notBefore }: Certificate) => Date.parse(notBefore) <= testBerth.now().getTime()
    testBerth.pass(24 * hourMs)
    await clients.ok('update', database, { tlsNames: ['db.example.org'] })
    const ahead = await untilCertificate(({ names }) => names.includes('db.example.org'))
    testBerth.pass(-24 * hourMs)
    assert.ok(!isValid(ahead))
    const replaced = await untilCertificate(isValid)
    assert.ok(replaced.names.includes('db.example.org'))

    const { answer } = testBerth.engine
    testBerth.engine.answer = () => {
      throw new EngineFailure('conflict', 'The container is busy')
    }
    testBerth.pass(24 * hourMs)
    await clients.ok('update', database, { tlsNames: ['other.example.org'] })
    await testBerth.until('the next certificate', async () => {
      testBerth.app.wake('certificates')
      const rows = await testBerth.app.db.selectFrom('databaseCertificate').select('state').execute()
      return rows.some(({ state }) => state === 'next') ? true : null
    })
    testBerth.pass(-24 * hourMs)
    testBerth.engine.answer = answer
    assert.ok(isValid(await untilCertificate(({ names }) => names.includes('other.example.org'))))
  })

  test('a stop of Berth ends a step in progress, and the next start repeats it', { timeout: 60_000 }, async () => {
    const { testBerth, clients, database, untilCertificate, first } = await startServed()
    await using _ = testBerth
    const { writeFiles } = testBerth.engine
    const begun = Promise.withResolvers<void>()
    testBerth.engine.writeFiles = async (_files, signal) => {
      begun.resolve()
      if (!signal.aborted) await once(signal, 'abort')
      throw new JobStopped('The job was stopped')
    }
    await clients.ok('update', database, { tlsNames: ['db.example.org'] })
    testBerth.app.wake('certificates')
    await begun.promise
    const { logged } = testBerth
    await testBerth.restart(async () => void Object.assign(testBerth.engine, { writeFiles }))
    assert.deepEqual(
      logged.filter(({ event }) => event === 'a loop failed'),
      [],
    )
    const replaced = await untilCertificate(({ fingerprint256 }) => fingerprint256 !== first.fingerprint256)
    assert.ok(replaced.names.includes('db.example.org'))
  })

  test('a rotation of the authority ends when the last server presents a new certificate', async () => {
    const { testBerth, database, reloads, untilCertificate, first } = await startServed()
    await using _ = testBerth
    const finish = { authority: 'installation', finish: true }
    interface Rotated {
      generations: { generation: number }[]
      rotation: { reasonCode: string } | null
    }
    const present = async () => (await testBerth.ok<Rotated[]>('installation.authorities'))[1]!
    await testBerth.ok('installation.rotateAuthority', { authority: 'installation' })
    reloads.outcome = refusal
    const finished = await testBerth.ok<Rotated>('installation.rotateAuthority', finish)
    assert.equal(finished.rotation?.reasonCode, 'OldCertificatesInUse')
    await untilCertificate(({ reasonCode }) => reasonCode === 'CertificateRefused')
    const { message } = await testBerth.refused('PRECONDITION_FAILED', 'installation.rotateAuthority', finish)
    assert.match(message, new RegExp(`still in use by ${database.appName}\\. `))
    assert.equal((await present()).generations.length, 2, 'clients trust both generations')
    reloads.outcome = null
    testBerth.pass(hourMs)
    await untilCertificate(({ fingerprint256 }) => fingerprint256 !== first.fingerprint256)
    const ended = await testBerth.until('the end', async () => ((await present()).rotation === null ? present() : null))
    assert.deepEqual(
      ended.generations.map(({ generation }) => generation),
      [2],
    )
  })

  test('a rotation of the authority does not wait for a stopped database, whose next start has a new one', async () => {
    const { testBerth, clients, database, untilCertificate, first } = await startServed()
    await using _ = testBerth
    await clients.complete('stop', database)
    await testBerth.ok('installation.rotateAuthority', { authority: 'installation' })
    const finish = { authority: 'installation', finish: true }
    const ended = await testBerth.ok<{ rotation: object | null }>('installation.rotateAuthority', finish)
    assert.equal(ended.rotation, null)
    await clients.complete('start', database)
    await untilCertificate(({ fingerprint256, servedSince }) => {
      return fingerprint256 !== first.fingerprint256 && servedSince !== null
    })
    const used = await testBerth.app.db.selectFrom('databaseCertificate').select('generation').execute()
    assert.deepEqual(used, [{ generation: 2 }])
  })

  test('a database on a kept volume first accepts connections without TLS, and later deploys change nothing', async () => {
    await using testBerth = await startTestBerth()
    const clients = databaseClientsOf(testBerth, kind)
    const { volumeId } = await createKeptVolume(testBerth, clients)
    const { answer } = testBerth.engine
    const programs: ('allow' | 'other')[] = []
    testBerth.engine.answer = (task, program) => {
      const address = serverAddress(kind, task.address!, serverTlsOf(kind, 'allow', task.serviceName, ''))
      programs.push(isAllowPlain(kind, program, address) ? 'allow' : 'other')
      return answer(task, program)
    }
    const input = { volumeId, name: 'again', projectId: testBerth.projectId }
    const database = await testBerth.ok<Database>('volume.restore', input)
    await clients.complete('deploy', database)
    assert.deepEqual([programs[0], programs.filter((it) => it === 'allow').length], ['allow', 1])
    programs.length = 0
    await clients.complete('deploy', database)
    assert.ok(programs.length > 0 && !programs.includes('allow'))
  })

  test('connections without TLS are a condition until Berth counts none', async () => {
    const { testBerth, database, untilCertificate } = await startServed()
    await using _ = testBerth
    const { answer } = testBerth.engine
    const counted = { stdout: '3\n' }
    testBerth.engine.answer = ({ address, serviceName, ...task }, program) => {
      const at = serverAddress(kind, address!, serverTlsOf(kind, 'allow', serviceName, ''))
      return program.argv.join() === kind.tls!.plainConnections!(credentialsIn(database, kind), at).argv.join()
        ? { exitCode: 0, stdout: counted.stdout, stderr: '' }
        : answer({ address, serviceName, ...task }, program)
    }
    testBerth.pass(countMs)
    await untilCertificate(({ plainConnections }) => plainConnections === 3)
    const { PlainConnections: found } = await untilPresent(testBerth, 'PlainConnections')
    assert.deepEqual([found!.severity, found!.subjectKind], ['info', 'database'])
    counted.stdout = '0\n'
    testBerth.pass(countMs)
    await untilCertificate(({ plainConnections }) => plainConnections === 0)
    await untilPresent(testBerth)
    counted.stdout = '2\n'
    testBerth.pass(-2 * countMs)
    await untilCertificate(({ plainConnections }) => plainConnections === 2)
  })
})
