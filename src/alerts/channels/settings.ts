/** The settings of a channel: where its messages go and with which secrets. Checks what each type needs. Pure. */
import { randomBytes } from 'node:crypto'
import { refuseField } from '../../errors.ts'
import type { Egress } from '../../lib/net/egress.ts'
import type { Vault } from '../../store/vault.ts'
import type { ChannelTable, ChannelType } from '../table.ts'

export interface ChannelSettings {
  url: string
  /** The signing secret, the bot token, the access token or the password of the mail server. */
  secret: string | null
  /** The account on the mail server. */
  username: string | null
  /** The e-mail address that messages come from. */
  sender: string | null
  /** E-mail addresses, or the one chat of Telegram. */
  recipients: readonly string[]
}

const cellOf = (channelId: string) => ({ table: 'channel', column: 'settings', row: channelId })

/** Returns the sealed settings for the column `settings` of this channel. */
export const sealSettings = (vault: Vault, channelId: string, settings: ChannelSettings): string =>
  vault.seal(cellOf(channelId), JSON.stringify(settings))

export const settingsOf = (vault: Vault, { id, settings }: Pick<ChannelTable, 'id' | 'settings'>): ChannelSettings =>
  JSON.parse(vault.open(cellOf(id), settings)) as ChannelSettings

/** The parts of the settings that a receiver may repeat in its answer, and that must not be shown. */
export function secretParts({ url, secret }: ChannelSettings): string[] {
  const { pathname, search } = new URL(url)
  const ofUrl = [pathname + search, pathname, search].filter((part) => part.length > 1)
  return [url, ...ofUrl, ...(secret === null ? [] : [secret])]
}

const signingPrefix = 'whsec_'

/** A new secret for the signatures of a webhook. Source: Standard Webhooks, section Signature scheme. */
export const newSigningSecret = (): string => signingPrefix + randomBytes(32).toString('base64')

/** The key of a signing secret. */
export const signingKey = (secret: string): Buffer => Buffer.from(secret.slice(signingPrefix.length), 'base64')

const protocols: Record<ChannelType, RegExp> = {
  webhook: /^https?:$/,
  slack: /^https?:$/,
  discord: /^https?:$/,
  telegram: /^https?:$/,
  ntfy: /^https?:$/,
  email: /^smtps?:$/,
}

/** Refuses settings that cannot work. Names the field. */
export function checkSettings(type: ChannelType, settings: ChannelSettings, egress: Pick<Egress, 'faultOf'>): void {
  const { secret, sender, recipients, username } = settings
  const url = URL.parse(settings.url)
  if (url === null || url.hostname === '' || !protocols[type].test(url.protocol)) {
    refuseField('url', type === 'email' ? 'must be smtps://HOST or smtp://HOST' : 'must be a URL with http or https')
  }
  if (url.username !== '' || url.password !== '') {
    refuseField('url', 'must not contain credentials. Use the fields username and secret')
  }
  const fault = egress.faultOf(url.hostname)
  if (fault !== null) refuseField('url', fault.message)
  if (type === 'webhook' && (secret === null || !isSigningSecret(secret))) {
    refuseField('secret', `must be ${signingPrefix} and 24 to 64 bytes in base64. If omitted, Berth makes one`)
  }
  if (type === 'telegram') checkTelegram(secret, recipients)
  if (type === 'ntfy' && topicOf(settings.url) === null)
    refuseField('url', 'must end with a topic: https://ntfy.sh/TOPIC')
  if (type === 'email') checkMail(sender, recipients, username, secret)
}

function isSigningSecret(secret: string): boolean {
  const bytes = signingKey(secret)
  return (
    secret.startsWith(signingPrefix) &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(secret.slice(signingPrefix.length)) &&
    bytes.length >= 24 &&
    bytes.length <= 64
  )
}

function checkTelegram(secret: string | null, recipients: readonly string[]): void {
  if (secret === null || !/^\d{1,20}:[\w-]{10,200}$/.test(secret)) refuseField('secret', 'must be the token of the bot')
  if (recipients.length !== 1) refuseField('recipients', 'must be the id of one chat')
}

const address = /^[^\s<>,;:"()[\]\\@]+@[^\s<>,;:"()[\]\\@]+$/

function checkMail(
  sender: string | null,
  recipients: readonly string[],
  username: string | null,
  secret: string | null,
): void {
  if (sender === null || !address.test(sender)) refuseField('sender', 'must be an e-mail address')
  if (recipients.length === 0) refuseField('recipients', 'must have at least one e-mail address')
  if (!recipients.every((each) => address.test(each))) refuseField('recipients', 'must be e-mail addresses')
  if ((username === null) !== (secret === null)) refuseField('secret', 'must be given together with username')
}

/** The server and the topic of the URL of an ntfy channel; null without a topic. */
export function topicOf(text: string): { server: string; topic: string } | null {
  const url = new URL(text)
  const [, path, topic] = /^(.*\/)([\w-]{1,64})$/.exec(url.pathname) ?? []
  return path === undefined || topic === undefined ? null : { server: `${url.origin}${path}`, topic }
}
