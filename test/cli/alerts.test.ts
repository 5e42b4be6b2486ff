/** Tests of `berth channel` and `berth alert`, with a real receiver. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { type StoredMessage, storedTest } from '../../src/alerts/message.ts'
import { toJson } from '../../src/lib/json.ts'
import { startCommandLine } from './cli-fixture.ts'

const received: string[] = []
let status = 200
const receiver = createServer(async (request, response) => {
  received.push(Buffer.concat(await Array.fromAsync(request)).toString())
  response.writeHead(status).end('thanks')
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
const cli = await startCommandLine()
after(async () => {
  await cli[Symbol.asyncDispose]()
  receiver.closeAllConnections()
  receiver.close()
})
await cli.ok('create', 'postgres', 'orders', '--project', 'shop')

const add = (name: string, ...options: string[]) =>
  cli.command(['channel', 'add', name, ...options], {
    ...cli.env,
    BERTH_CHANNEL_URL: `http://${host}/secret-path`,
    BERTH_CHANNEL_SECRET: 'tk_secret-of-the-topic',
  })

test('without channels, the list names the command that adds one', async () => {
  const { stdout, stderr } = await cli.command(['channel', 'ls'])
  assert.equal(stdout, '')
  assert.match(stderr, /berth channel add --help/)
})

test('adds a webhook without its URL among the arguments, and shows the signing secret once', async () => {
  const { stdout, stderr } = await add('ops', '--type', 'webhook', '--project', 'shop', '--repeat', 'never')
  assert.match(
    stdout,
    /^Added ops\. Send a test message: berth channel test ops\nSigning secret.*: whsec_\S+\n$/,
    stderr,
  )
  const [channel] = JSON.parse(await cli.ok('channel', 'ls', '--json')) as Record<string, unknown>[]
  assert.deepEqual([channel!.repeatHours, (channel!.projectIds as string[]).length], [null, 1])
  const list = await cli.ok('channel', 'ls')
  assert.match(list, new RegExp(`^ops\\s+webhook\\s+${host}\\s+warning\\s+shop\\s+never\\s+-\\s+0\\s+-$`, 'm'))
  assert.doesNotMatch(list, /secret-path/)
})

test('a test sends a message, and a refusal of the receiver is an error and stays in the list', async () => {
  assert.equal(await cli.ok('channel', 'test', 'ops'), `${host} accepted the message. It answered: thanks\n`)
  assert.match(received.at(-1)!, /alert\.test/)
  status = 500
  const { status: exit, stderr } = await cli.command(['channel', 'test', 'ops'])
  assert.notEqual(exit, 0)
  assert.match(stderr, /500/)
  assert.match(await cli.ok('channel', 'ls'), /^ops\t.*500$/m)
  status = 200
})

test('asks for the URL that the type needs, and for none of Telegram', async () => {
  const add = (...args: string[]) =>
    cli.command(['channel', 'add', ...args], { ...cli.env, BERTH_CHANNEL_SECRET: '123:token_of_the_bot' })
  const bot = await add('bot', '--type', 'telegram', '--to', '-100123')
  assert.equal(bot.status, 0, bot.stderr)
  assert.match(await cli.ok('channel', 'ls'), /^bot\ttelegram\tapi\.telegram\.org/m)
  await cli.ok('channel', 'rm', 'bot', '--yes')
  const mail = await add('mail', '--type', 'email', '--from', 'a@example.org', '--to', 'b@example.org')
  assert.match(mail.stderr, /'URL of the mail server, such as smtps:.*' needs an answer/)
})

test('asks for the token of a topic, and names a wrong option', async () => {
  assert.equal((await add('topic', '--type', 'ntfy', '--secret', '--severity', 'critical')).status, 0)
  const wrong = await add('other', '--type', 'slck')
  assert.deepEqual([wrong.status, /slack/.test(wrong.stderr)], [2, true], wrong.stderr)
  const number = await add('other', '--type', 'slack', '--repeat', 'often')
  assert.deepEqual([number.status, /--repeat must be a number/.test(number.stderr)], [2, true], number.stderr)
})

test('changes what is given, and keeps the URL, the secret and all else', async () => {
  const read = async () =>
    (JSON.parse(await cli.ok('channel', 'ls', '--json')) as Record<string, unknown>[]).find(
      (each) => each.type === 'webhook',
    )!
  const before = await read()
  const conditions = ['--condition', 'DatabaseDown', '--condition', 'BackupOverdue']
  const changed = await cli.ok('channel', 'set', 'ops', '--severity', 'critical', '--project', 'all', ...conditions)
  assert.equal(changed, 'Changed ops.\n')
  const rules = { minSeverity: 'critical', projectIds: null, conditions: ['DatabaseDown', 'BackupOverdue'] }
  assert.deepEqual(await read(), { ...before, ...rules })
  assert.match(await cli.ok('channel', 'ls'), /^ops\t.*\tcritical\t2 conditions\tnever\t/m)
  assert.match(await cli.ok('channel', 'test', 'ops'), /accepted the message/)
  assert.equal(await cli.ok('channel', 'set', 'ops', '--off', '--name', 'later'), 'Changed later.\n')
  assert.match(await cli.ok('channel', 'ls'), /^later\s+webhook\s+\S+\s+disabled/m)
  await cli.ok('channel', 'set', 'later', '--on', '--name', 'ops', '--condition', 'all', '--repeat', '12')
  const { enabled, conditions: all, repeatHours } = await read()
  assert.deepEqual([enabled, all, repeatHours], [true, null, 12])
  assert.match(await cli.ok('channel', 'ls'), /^ops\t.*\tcritical\t-\t12 h\t/m)
  for (const name of ['a', 'b', 'c']) await cli.ok('project', 'create', name)
  const projects = ['a', 'b', 'c'].flatMap((name) => ['--project', name])
  await cli.ok('channel', 'set', 'ops', ...projects, '--condition', 'DatabaseDown')
  assert.match(await cli.ok('channel', 'ls'), /^ops\t.*\ta, b and 1 more; DatabaseDown\t12 h\t/m)
  await cli.ok('channel', 'set', 'ops', '--project', 'all', '--condition', 'all')
})

test('asks for another URL, and needs the secret again if it leads to another server', async () => {
  const set = (...options: string[]) =>
    cli.command(['channel', 'set', 'topic', ...options], {
      ...cli.env,
      BERTH_CHANNEL_URL: `http://localhost:${new URL(`http://${host}`).port}/other`,
      BERTH_CHANNEL_SECRET: 'tk_another-secret',
    })
  const refused = await set('--url')
  assert.deepEqual([refused.status, /must be sent again/.test(refused.stderr)], [2, true], refused.stderr)
  assert.equal((await set('--url', '--secret')).stdout, 'Changed topic.\n')
  assert.match(await cli.ok('channel', 'ls'), /^topic\s+ntfy\s+localhost:/m)
})

test('the help of a change names no defaults, and says that a URL needs --url', async () => {
  const helpOf = async (command: string) => (await cli.ok('channel', command, '--help')).replace(/\s+/g, ' ')
  const [added, changed] = [await helpOf('add'), await helpOf('set')]
  for (const each of ['(warning)', '(all)', '(24)', '(Berth makes one)']) {
    assert.deepEqual([added.includes(each), changed.includes(each)], [true, false], each)
  }
  assert.match(changed, /BERTH_CHANNEL_URL is used only with --url/)
})

test('a change without options, or with options that exclude each other, is refused', async () => {
  const refusal = async (...options: string[]) => {
    const { status: exit, stderr } = await cli.command(['channel', 'set', 'ops', ...options])
    assert.equal(exit, 2, stderr)
    return stderr
  }
  assert.match(await refusal(), /Nothing to change.*berth channel set --help/)
  assert.match(await refusal('--on', '--off'), /either --on or --off/)
  assert.match(await refusal('--condition', 'all', '--condition', 'DatabaseDown'), /--condition all cannot be combined/)
  assert.match(await refusal('--condition', 'DatabaseDwn'), /must be the name of a condition/)
})

test('mutes a database for some hours, lists it, and ends the mute', async () => {
  assert.match((await cli.command(['alert', 'ls'])).stderr, /Nothing is muted/)
  assert.match(await cli.ok('alert', 'mute', 'orders', '--hours', '2'), /^Muted shop\/orders for [12] h\.$/m)
  await cli.ok('alert', 'mute', 'orders', '--condition', 'BackupOverdue')
  assert.match(
    await cli.ok('alert', 'ls'),
    /^shop\/orders\s+database\s+all\s+in .*\nshop\/orders\s+database\s+BackupOverdue/m,
  )
  const near = await cli.command(['alert', 'unmute', 'shop/ordres'])
  assert.deepEqual([near.status, near.stderr], [3, 'error: shop/ordres is not muted.\nDid you mean shop/orders?\n'])
  assert.equal(await cli.ok('alert', 'unmute', 'orders'), 'shop/orders is not muted any more.\n')
  const none = await cli.command(['alert', 'unmute', 'shop/orders'])
  assert.deepEqual([none.status, none.stderr], [3, 'error: shop/orders is not muted.\n'])
  assert.deepEqual(JSON.parse(await cli.ok('alert', 'ls', '--json')), [])
})

test('mutes a node', async () => {
  const [node] = JSON.parse(await cli.ok('node', 'ls', '--json')) as { hostname: string }[]
  assert.match(await cli.ok('alert', 'mute', node!.hostname, '--node'), new RegExp(`^Muted ${node!.hostname} for \\d`))
  assert.equal((await cli.command(['alert', 'unmute', 'shop/orders', '--node'])).status, 3)
  const unmuted = await cli.ok('alert', 'unmute', node!.hostname, '--node')
  assert.equal(unmuted, `${node!.hostname} is not muted any more.\n`)
  const unknown = await cli.command(['alert', 'mute', 'nowhere', '--node'])
  assert.deepEqual([unknown.status, /There is no node 'nowhere'/.test(unknown.stderr)], [3, true])
})

test('a message in the list says when the end of its condition follows', async () => {
  const [{ channelId }] = JSON.parse(await cli.ok('channel', 'ls', '--json')) as [{ channelId: string }]
  const at = new Date().toISOString()
  const row = { channelId, key: 'proxy', firstRaisedAt: at, lastSentAt: at, nextChangeAt: at }
  const conditionIds = toJson<readonly string[]>(['ended'])
  const message = toJson<StoredMessage>({ ...storedTest(at), state: 'raised', key: 'proxy' })
  const times = { createdAt: at, nextAttemptAt: at, endedAt: at }
  await cli.berth.app.transact(async (tx) => {
    await tx
      .insertInto('notification')
      .values({ ...row, conditionIds, state: 'raised', severity: 'info' })
      .execute()
    await tx
      .insertInto('delivery')
      .values({ id: 'sent', channelId, message, state: 'sent', attempts: 0, fault: null, ...times })
      .execute()
  })
  assert.match(await cli.ok('alerts', '--state', 'sent'), /^\S.*\tops\tsent, its end follows in \d+ min\t/m)
})

test('removes a channel after a confirmation', async () => {
  assert.equal((await cli.command(['channel', 'rm', 'ops'])).status, 2)
  assert.equal(await cli.ok('channel', 'rm', 'ops', '-y'), 'Removed ops.\n')
})
