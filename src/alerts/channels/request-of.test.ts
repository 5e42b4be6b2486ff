/** The requests of each type of channel, as recorded, with texts that each format has to escape, and long ones. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { toJson } from '../../lib/json.ts'
import type { ConditionTable } from '../../conditions/table.ts'
import { linesOf, type Message, messageOf, type StoredItem, storedMessage, storedTest } from '../message.ts'
import { type ChannelType, channelTypes } from '../table.ts'
import type { HttpRequest, Mail } from './request.ts'
import { requestOf } from './request-of.ts'
import type { ChannelSettings } from './settings.ts'

const now = new Date('2030-01-01T00:00:10.000Z')
const at = '2030-01-01T00:00:00.000Z'
const hostile = '<!channel> *b* _i_ `c` @everyone <b>&\r\nBcc: x@example.org [a](http://evil)'

const condition = (id: string, columns: Partial<ConditionTable> = {}): ConditionTable => ({
  id,
  name: 'ProxyDown',
  severity: 'critical',
  subjectKind: 'proxy',
  subjectId: 'proxy',
  subjectName: 'proxy',
  projectId: null,
  adminOnly: 0,
  reason: toJson({ reason: 'ProxyFailed' as const, detail: 'no answer' }),
  since: at,
  endedAt: null,
  ...columns,
})
const messageWith = (rows: ConditionTable[], link: string | null = null): Message =>
  messageOf('message1', storedMessage('raised', 'key1', rows, at), link)
const plain = messageWith([condition('c1')], 'https://berth.example.org')
const nasty = messageWith([
  condition('c1', { subjectName: hostile, reason: toJson({ reason: 'ProxyFailed' as const, detail: hostile }) }),
])
const long = messageWith(
  Array.from({ length: 500 }, (_, i) =>
    condition(`c${i}`, {
      subjectName: `${'&'.repeat(200)}${i}`,
      reason: toJson({ reason: 'ProxyFailed' as const, detail: '<😀'.repeat(1000) }),
    }),
  ),
)

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const none: ChannelSettings = {
  url: 'https://hooks.example/x',
  secret: null,
  username: null,
  sender: null,
  recipients: [],
}
const settings: Record<ChannelType, ChannelSettings> = {
  webhook: { ...none, secret },
  slack: none,
  discord: none,
  telegram: { ...none, url: 'https://api.telegram.org', secret: '123:abcdefghijk', recipients: ['-100'] },
  ntfy: { ...none, url: 'https://ntfy.sh/berth-alerts', secret: 'tk_x' },
  email: { ...none, url: 'smtps://mail.example', sender: 'berth@example.org', recipients: ['ops@example.org'] },
}
const sent = (type: ChannelType, message: Message) => requestOf(type, settings[type], message, now) as HttpRequest
const bodyOf = (type: ChannelType, message: Message) => JSON.parse(sent(type, message).body) as Record<string, unknown>

const line = 'ProxyDown proxy (critical, since 2030-01-01T00:00:00.000Z): no answer'
const title = 'Critical: ProxyDown: proxy'
const link = 'https://berth.example.org'

test('a webhook gets the conditions as JSON, with a signature that its secret verifies', () => {
  const { url, headers, body } = sent('webhook', plain)
  assert.equal(url, 'https://hooks.example/x')
  const signed = createHmac('sha256', Buffer.alloc(32, 7)).update(`message1.1893456010.${body}`).digest('base64')
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    'webhook-id': 'message1',
    'webhook-timestamp': '1893456010',
    'webhook-signature': `v1,${signed}`,
  })
  assert.deepEqual(JSON.parse(body), {
    type: 'alert.raised',
    timestamp: at,
    data: {
      state: 'raised',
      severity: 'critical',
      key: 'key1',
      title,
      conditions: [
        {
          name: 'ProxyDown',
          severity: 'critical',
          subjectKind: 'proxy',
          subjectId: 'proxy',
          subjectName: 'proxy',
          projectId: null,
          since: at,
          endedAt: null,
          path: null,
          conditionId: 'c1',
          reason: 'no answer',
          reasonCode: 'ProxyFailed',
        },
      ],
      more: 0,
      link,
    },
  })
})

const endedAt = '2030-01-01T00:07:00.000Z'
const resolved = storedMessage('resolved', 'key1', [condition('c1', { endedAt })], '2030-01-01T00:10:00.000Z')

test('a resolved message says when each condition began and ended', () => {
  const message = messageOf('m', resolved, null)
  const { conditions } = bodyOf('webhook', message).data as { conditions: { since: string; endedAt: string }[] }
  assert.deepEqual([conditions[0]!.since, conditions[0]!.endedAt], [at, endedAt])
  assert.deepEqual(linesOf(message), [`ProxyDown proxy: since ${at} until ${endedAt}`])
})

test('a message that was stored without the ends and paths of its conditions is still read', () => {
  const items = resolved.items.map(({ endedAt: _, path: __, ...item }): StoredItem => item)
  const message = messageOf('m', { ...resolved, items }, null)
  const { conditions } = bodyOf('webhook', message).data as { conditions: { endedAt: null }[] }
  assert.equal(conditions[0]!.endedAt, null)
  assert.deepEqual(linesOf(message), [`ProxyDown proxy: since ${at}, now over`])
})

test('Slack gets plain text, in which it reads no markup and no mentions', () => {
  assert.deepEqual(bodyOf('slack', plain), {
    text: title,
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
      { type: 'section', text: { type: 'plain_text', text: `${line}\n${link}`, emoji: false } },
    ],
  })
  assert.ok(!/[<>]/.test(String(bodyOf('slack', nasty).text)))
})

test('Discord gets escaped Markdown and mentions nobody', () => {
  const text =
    '**Critical: ProxyDown: proxy**\nProxyDown proxy \\(critical, since 2030\\-01\\-01T00:00:00.000Z\\): no answer'
  assert.deepEqual(bodyOf('discord', plain), { content: `${text}\n${link}`, allowed_mentions: { parse: [] }, flags: 4 })
  const { content } = bodyOf('discord', nasty)
  assert.match(String(content), /\\<!channel\\> \\\*b\\\* \\_i\\_ \\`c\\` \\@everyone/)
})

test('Telegram gets escaped HTML', () => {
  assert.equal(sent('telegram', plain).url, 'https://api.telegram.org/bot123:abcdefghijk/sendMessage')
  assert.deepEqual(bodyOf('telegram', plain), {
    chat_id: '-100',
    text: `<b>${title}</b>\n${line}\n${link}`,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  })
  assert.match(String(bodyOf('telegram', nasty).text), /&lt;!channel&gt; .* &lt;b&gt;&amp; Bcc/)
})

test('ntfy gets JSON with a topic and a priority', () => {
  const { url, headers } = sent('ntfy', plain)
  assert.deepEqual([url, headers.authorization], ['https://ntfy.sh/', 'Bearer tk_x'])
  assert.deepEqual(bodyOf('ntfy', plain), { topic: 'berth-alerts', title, message: line, priority: 5, click: link })
  const end = bodyOf('ntfy', messageOf('m', resolved, null))
  assert.deepEqual([end.priority, end.title], [2, 'Resolved: ProxyDown: proxy'])
})

test('a mail has the title as its subject, on one line', () => {
  const mail = requestOf('email', settings.email, plain, now) as Mail
  assert.deepEqual(mail, {
    type: 'mail',
    url: 'smtps://mail.example',
    login: null,
    messageId: '<message1@example.org>',
    from: 'berth@example.org',
    to: ['ops@example.org'],
    subject: title,
    text: `${title}\n\n${line}\n\n${link}\n`,
  })
  assert.ok(!/[\r\n]/.test((requestOf('email', settings.email, nasty, now) as Mail).subject))
})

test('long messages keep the limits of each service and say how much is left out', () => {
  assert.match(long.title, / and 499 more$/)
  assert.equal(long.items.length, 20)
  const texts: Record<string, [text: string, max: number]> = {
    slack: [JSON.parse(sent('slack', long).body).blocks[1].text.text, 3000],
    header: [JSON.parse(sent('slack', long).body).blocks[0].text.text, 150],
    discord: [String(bodyOf('discord', long).content), 2000],
    telegram: [String(bodyOf('telegram', long).text), 4096],
    ntfy: [String(bodyOf('ntfy', long).message), 4096],
  }
  for (const [name, [text, max]] of Object.entries(texts)) {
    assert.ok(Buffer.byteLength(name === 'ntfy' ? text : '') <= 4096, name)
    assert.ok(text.length <= max && text.length > 0, `${name}: ${text.length}`)
    assert.ok(text.isWellFormed(), name)
  }
  assert.ok(!/&(?!amp;|lt;|gt;)/.test(texts.telegram![0]), 'no entity is cut')
})

test('every type has a test message', () => {
  const message = messageOf('t', storedTest(at), null)
  for (const type of channelTypes) {
    assert.match(JSON.stringify(requestOf(type, settings[type], message, now)), /Berth: test message/, type)
  }
})
