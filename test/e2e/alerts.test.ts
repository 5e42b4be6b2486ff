/**
 * Real faults reach real receivers: a webhook, and a mail server with STARTTLS and a login. Each message arrives within
 * 15 s of when condition.all shows the condition, and its end is told after the repair.
 */
import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { minGapMs } from '../../src/alerts/plan.ts'
import { login, startMailServer } from '../alerts/mail-server.ts'
import { startReceiver } from '../alerts/receiver.ts'
import { until } from '../engine/until.ts'
import { openDisk } from '../faults/disk.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type BackupFixture, openBackupFixture, wait } from './backup-fixture.ts'
import { makeCertificate } from './certificate-files.ts'
import { remoteClients } from './remote-clients.ts'
import { containersOf, docker, uniqueName } from './swarm.ts'

const isUp = ({ applicationStatus }: { applicationStatus?: unknown }) => applicationStatus === 'done'
const maxDelayMs = 15_000
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const mebibyte = 1024 * 1024

/** Certificates need a proxy. A faked one is enough: no fault concerns it. */
const withProxy = { realProxy: false, env: { BERTH_PROXY: 'process' } }

interface Condition {
  conditionId: string
  name: string
  subjectId: string
}

describe('alerts about real faults', () => {
  const cleanUp = new AsyncDisposableStack()
  after(() => cleanUp.disposeAsync())
  const later = { after: (end: () => void | Promise<void>) => cleanUp.defer(end) }
  let [fixture, receiver, mail, disk] = [] as unknown as [
    BackupFixture,
    Awaited<ReturnType<typeof startReceiver>>,
    Awaited<ReturnType<typeof startMailServer>>,
    Awaited<ReturnType<typeof openDisk>>,
  ]
  /** How far the time of Berth is ahead. */
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)

  before(async () => {
    const image = join(temporaryFolder(later), 'image')
    writeFileSync(image, '')
    truncateSync(image, 64 * mebibyte)
    disk = await openDisk(later, 0, 'mkfs.ext4 -q -F "$2" && mount -o loop "$2" "$1"', image)
    receiver = cleanUp.use(await startReceiver())
    const remote = cleanUp.use(await remoteClients(42))
    mail = cleanUp.use(await startTrustedMailServer(remote.machine))
    fixture = cleanUp.use(await openBackupFixture(1, { now, ownDataFolder: disk.hostFolder, ...withProxy }))
    await ok('channel.create', { name: 'ops', type: 'webhook', url: receiver.url })
    const addresses = { sender: 'berth@example.org', recipients: ['ops@example.org'] }
    await ok('channel.create', { name: 'mail', type: 'email', url: mail.url, ...login, ...addresses })
  })

  /** A mail server whose certificate this process trusts. Without TLS it takes no login. */
  async function startTrustedMailServer(address: string) {
    const trusted = getCACertificates('default')
    const authority = makeCertificate({ names: [], ca: true })
    const { chain, key } = makeCertificate({ names: [address], by: authority })
    setDefaultCACertificates([...trusted, authority.chain])
    cleanUp.defer(async () => setDefaultCACertificates(trusted))
    return startMailServer({ cert: chain, key, allowInsecureAuth: false, authOptional: false }, address)
  }

  async function ok<T = Record<string, unknown>>(name: string, input: object = {}): Promise<T> {
    const { status, body } = await fixture.berth.call<T>(name, { ...input }, undefined, { prefer: 'wait=120' })
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    return body
  }

  const wake = () => {
    for (const loop of ['backups', 'samples', 'conditions', 'alerts'] as const) fixture.berth.app.wake(loop)
  }

  const present = async (name: string) => (await ok<Condition[]>('condition.all')).find((each) => each.name === name)

  const webhooksAbout = (name: string, type: string) =>
    receiver.received.filter((each) => each.type === type && each.data.conditions.some((one) => one.name === name))
  const mailsAbout = (name: string, isEnd: boolean) =>
    mail.mails.filter((text) =>
      new RegExp(`^Subject: ${isEnd ? 'Resolved' : '(?!Resolved)\\w+'}: ${name}`, 'm').test(text),
    )

  /**
   * Waits until the condition is present and both receivers know of it.
   * @param stepMs how far the time of Berth moves at each look, for conditions that begin only after some time
   * @param times how often the condition has begun
   */
  async function assertDelivered(name: string, stepMs = 0, times = 1): Promise<void> {
    await until(`the condition ${name}`, async () => {
      wake()
      const found = await present(name)
      if (found === undefined) aheadMs += stepMs
      return found
    })
    // Nothing is woken from here on: Berth itself sends the message.
    await until(
      `the messages about ${name}`,
      async () => webhooksAbout(name, 'alert.raised').length >= times && mailsAbout(name, false).length >= times,
      maxDelayMs,
    )
  }

  const untilEnded = (name: string) =>
    until(`the end of ${name}`, async () => {
      wake()
      return (await present(name)) === undefined
    })

  /** Waits until the condition has ended and both receivers know of it, at least ten minutes after the last message. */
  async function assertResolved(name: string, stepMs = 0, times = 1): Promise<void> {
    await untilEnded(name)
    aheadMs += minGapMs
    await until(`the messages about the end of ${name}`, async () => {
      wake()
      aheadMs += stepMs
      return webhooksAbout(name, 'alert.resolved').length >= times && mailsAbout(name, true).length >= times
    })
    const counts = ['alert.raised', 'alert.resolved'].map((type) => webhooksAbout(name, type).length)
    assert.deepEqual(counts, [times, times])
  }

  test('the mail server gets its messages by TLS after a login', async () => {
    const channels = await ok<{ channelId: string; name: string }[]>('channel.all')
    const { channelId } = channels.find(({ name }) => name === 'mail')!
    await ok('channel.test', { channelId })
    assert.match(mail.mails.at(-1)!, /^user=berth secure=true to=ops@example\.org\n/)
  })

  // Berth compares its time with that of the engine's tasks, so it goes ahead only after the next two tests.
  test('no secret is in a message, in a list of them, or in a metric', async () => {
    const databasePassword = 'planted-password-4711'
    const names = { appName: uniqueName('leaky'), databaseName: 'shop', databaseUser: 'shop' }
    const { postgresId } = await ok<{ postgresId: string }>('postgres.create', {
      ...{ ...names, name: 'leaky', projectId: fixture.berth.projectId, dockerImage: 'postgres:17', databasePassword },
      command: `sh -c 'echo the password is "$POSTGRES_PASSWORD"; exit 1'`,
    })
    assert.equal((await fixture.berth.call('postgres.deploy', { postgresId }, undefined, wait)).status, 422)
    await assertDelivered('DatabaseDown')
    const texts = receiver.received.map(({ text }) => text).join('\n')
    assert.match(texts, /the password is \*+/)
    const secrets = [
      databasePassword,
      fixture.storage.settings('backups').secretAccessKey,
      login.secret,
      'hook-path-secret',
      'whsec_',
    ]
    const lists = ['alert.messages', 'condition.all', 'channel.all', 'deployment.all']
    const answers = await Promise.all(lists.map((name) => ok(name)))
    const all = [texts, ...mail.mails, JSON.stringify(answers), await fixture.berth.app.metrics()].join('\n')
    for (const secret of secrets) assert.ok(!all.includes(secret), secret)
    await ok('postgres.remove', { postgresId, removeData: true })
    await untilEnded('DatabaseDown')
  })

  test('a database that was killed', async () => {
    const { appName } = fixture.database
    let isBroken = true
    const killing = (async () => {
      while (isBroken) {
        const running = await containersOf(appName)
        if (running.length > 0) await docker('kill', ...running).catch(() => undefined)
        await pause(500)
      }
    })()
    await assertDelivered('DatabaseDown', 0, 2).finally(() => (isBroken = false))
    await killing
    await fixture.databaseClients.waitUntil('the database to be up', fixture.database, isUp)
    // It restarted often, which ends after some minutes without a restart. The end of the removed one is texts, too.
    await assertResolved('DatabaseDown', minuteMs, 2)
  })

  test('a disk that fills up', async () => {
    const filler = join(disk.hostFolder, 'filler')
    writeFileSync(filler, Buffer.alloc(45 * mebibyte, 1))
    await assertDelivered('DiskFilling')
    truncateSync(filler, 0)
    await assertResolved('DiskFilling')
  })

  test('a certificate that ends soon', async () => {
    const day = (days: number) => `${new Date(Date.now() + days * dayMs).toISOString().replace(/[-:T]|\.\d+/g, '')}`
    const { chain, key } = makeCertificate({ names: ['shop.example.org'], days: [day(-60), day(5)] })
    const input = { name: 'shop', certificateData: chain, privateKey: key }
    const { certificateId } = await ok<{ certificateId: string }>('certificates.create', input)
    await assertDelivered('CertificateExpiring')
    await ok('certificates.remove', { certificateId })
    await assertResolved('CertificateExpiring')
  })

  test('a storage that cannot be reached, and a backup that is overdue', async () => {
    const backupId = await fixture.create('alerts')
    await fixture.storage.stop()
    assert.equal((await fixture.run(backupId)).status, 422)
    await assertDelivered('DestinationUnreachable')
    await fixture.storage.start()
    await fixture.backUp(backupId, 'alerts')
    await assertResolved('DestinationUnreachable')
    // Berth was off for longer than a day, so it left the scheduled run out.
    aheadMs += 2 * dayMs
    await assertDelivered('BackupOverdue', 5000)
    await fixture.backUp(backupId, 'alerts')
    await assertResolved('BackupOverdue')
  })

  test('a planned stop, start, reload and deploy are no messages', async () => {
    const { postgresId, appName } = fixture.database
    const count = () =>
      receiver.received.filter(({ data }) => data.conditions.some(({ name }) => /^Database/.test(name)))
    const before = count().length
    for (const operation of ['stop', 'start', 'reload', 'deploy']) {
      const work = ok(`postgres.${operation}`, { postgresId, ...(operation === 'reload' ? { appName } : {}) })
      // Conditions are looked for while the work is under way, too.
      let isOver = false
      void work.finally(() => (isOver = true))
      await until(`the end of ${operation}`, async () => {
        wake()
        assert.equal(await present('DatabaseDown'), undefined, operation)
        return isOver
      })
      await work
    }
    wake()
    assert.equal(count().length, before)
  })
})
