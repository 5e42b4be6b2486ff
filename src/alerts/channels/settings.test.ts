/** Which settings each type of channel needs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../errors.ts'
import { egressOf } from '../../lib/net/egress.ts'
import type { ChannelType } from '../table.ts'
import { type ChannelSettings, checkSettings, newSigningSecret } from './settings.ts'

const base: ChannelSettings = {
  url: 'https://hooks.example/x',
  secret: null,
  username: null,
  sender: null,
  recipients: [],
}
const mail = { url: 'smtps://mail.example', sender: 'berth@example.org', recipients: ['ops@example.org'] }
const bot = { secret: '123:abcdefghijkl', recipients: ['-100'] }

const cases: [title: string, type: ChannelType, settings: Partial<ChannelSettings>, field: string | null][] = [
  ['a webhook with a made secret', 'webhook', { secret: newSigningSecret() }, null],
  ['a webhook without a secret', 'webhook', {}, 'secret'],
  ['a webhook with a short secret', 'webhook', { secret: 'whsec_YWJj' }, 'secret'],
  ['a webhook with another text', 'webhook', { secret: 'x'.repeat(60) }, 'secret'],
  ['Slack', 'slack', {}, null],
  ['no URL', 'slack', { url: 'hooks.example' }, 'url'],
  ['another protocol', 'slack', { url: 'file:///etc/passwd' }, 'url'],
  ['credentials in the URL', 'slack', { url: 'https://a:b@hooks.example' }, 'url'],
  ['a metadata service', 'discord', { url: 'http://169.254.169.254/x' }, 'url'],
  ['a mail server at a metadata service', 'email', { ...mail, url: 'smtp://169.254.169.254' }, 'url'],
  ['a bot', 'telegram', bot, null],
  ['a bot with a path as its token', 'telegram', { ...bot, secret: '1/../x' }, 'secret'],
  ['a bot without a chat', 'telegram', { ...bot, recipients: [] }, 'recipients'],
  ['a topic', 'ntfy', { url: 'https://ntfy.sh/topic' }, null],
  ['no topic', 'ntfy', { url: 'https://ntfy.sh/' }, 'url'],
  ['a mail', 'email', mail, null],
  ['a mail by HTTP', 'email', { ...mail, url: 'https://mail.example' }, 'url'],
  ['a mail without a sender', 'email', { ...mail, sender: null }, 'sender'],
  ['a mail to nobody', 'email', { ...mail, recipients: [] }, 'recipients'],
  ['a mail with a header in an address', 'email', { ...mail, recipients: ['a@b.c\nBcc:x@y.z'] }, 'recipients'],
  ['a mail to a list in one text', 'email', { ...mail, recipients: ['a@b.c,d@e.f'] }, 'recipients'],
  ['a password without an account', 'email', { ...mail, secret: 'x' }, 'secret'],
]
for (const [title, type, changes, field] of cases) {
  test(`${field === null ? 'takes' : `refuses by ${field}`}: ${title}`, () => {
    const check = () => checkSettings(type, { ...base, ...changes }, egressOf([]))
    if (field === null) return check()
    assert.throws(check, (error) => error instanceof Refusal && error.issues[0]?.path === field)
  })
}
