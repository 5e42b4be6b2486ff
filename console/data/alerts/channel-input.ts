/** The form of a channel: its values, and the input of the API that they make. Pure. */
import type { Operations } from '../../../client/client.ts'

type Create = Operations['channel']['create']
export type ChannelInput = Required<Parameters<Create>[0]>
export type Channel = Awaited<ReturnType<Operations['channel']['all']>>[number]
export type ChannelType = Channel['type']

export interface ChannelValues {
  name: string
  type: ChannelType
  /** Empty while the stored URL stays. */
  url: string
  /** Empty: none, or the stored one stays. */
  secret: string
  username: string
  sender: string
  /** One address on each line, or separated by commas. */
  recipients: string
  minSeverity: Channel['minSeverity']
  /** '' for all, or 'some'. */
  projects: string
  projectIds: readonly string[]
  /** '' for all, or 'some'. */
  which: string
  conditions: readonly NonNullable<Channel['conditions']>[number][]
  /** Hours; '' for never. */
  repeatHours: string
  enabled: boolean
}

/** Stands for the stored URL and the stored secret. */
export const mask = '********'

export const emptyChannel: ChannelValues = {
  ...{ name: '', type: 'webhook', url: '', secret: '', username: '', sender: '', recipients: '' },
  ...{ minSeverity: 'warning', projects: '', projectIds: [], which: '', conditions: [], repeatHours: '24' },
  enabled: true,
}

export const valuesOf = (channel: Channel): ChannelValues => ({
  ...{ name: channel.name, type: channel.type, url: '', secret: '', username: channel.username ?? '' },
  ...{ sender: channel.sender ?? '', recipients: channel.recipients.join('\n'), minSeverity: channel.minSeverity },
  ...{ projects: channel.projectIds === null ? '' : 'some', projectIds: channel.projectIds ?? [] },
  ...{ which: channel.conditions === null ? '' : 'some', conditions: channel.conditions ?? [] },
  repeatHours: channel.repeatHours === null ? '' : String(channel.repeatHours),
  enabled: channel.enabled,
})

/** @param stored the channel that is changed; null: a new one */
export function inputOf(values: ChannelValues, stored: Channel | null): ChannelInput {
  const { name, type, minSeverity, enabled, url, secret, username, sender, recipients } = values
  const isMail = type === 'email'
  return {
    ...{ name, type, minSeverity, enabled },
    url: url === '' && stored !== null ? mask : type === 'telegram' && url === '' ? telegramUrl : url.trim(),
    secret: secret !== '' ? secret : stored?.secret != null && stored.type === type ? mask : null,
    username: isMail && username !== '' ? username.trim() : null,
    sender: isMail ? sender.trim() : null,
    recipients: isMail || type === 'telegram' ? recipients.split(/[\s,;]+/).filter((each) => each !== '') : [],
    projectIds: values.projects === '' ? null : [...values.projectIds],
    conditions: values.which === '' ? null : [...values.conditions],
    repeatHours: values.repeatHours.trim() === '' ? null : Number(values.repeatHours),
  }
}

const telegramUrl = 'https://api.telegram.org'

/** What the fields of a type mean. A field without a label does not belong to the type. */
export interface TypeTexts {
  text: string
  url: { label: string; hint: string; placeholder: string } | null
  secret: { label: string; hint: string; isRequired: boolean } | null
  recipients: { label: string; hint: string } | null
}

export const typeTexts: Record<ChannelType, TypeTexts> = {
  webhook: {
    text: 'Webhook',
    url: { label: 'URL', hint: 'It gets a POST with JSON, signed as Standard Webhooks.', placeholder: 'https://…' },
    secret: { label: 'Signing secret', hint: 'Empty: Berth makes one and shows it once.', isRequired: false },
    recipients: null,
  },
  slack: {
    text: 'Slack',
    url: {
      label: 'URL of the incoming webhook',
      hint: 'In Slack: an app with Incoming Webhooks.',
      placeholder: 'https://hooks.slack.com/services/…',
    },
    secret: null,
    recipients: null,
  },
  discord: {
    text: 'Discord',
    url: {
      label: 'URL of the webhook',
      hint: 'In Discord: the settings of a channel, Integrations.',
      placeholder: 'https://discord.com/api/webhooks/…',
    },
    secret: null,
    recipients: null,
  },
  telegram: {
    text: 'Telegram',
    url: null,
    secret: { label: 'Token of the bot', hint: 'From @BotFather.', isRequired: true },
    recipients: { label: 'Id of the chat', hint: 'A number, or @name of a public channel.' },
  },
  ntfy: {
    text: 'ntfy',
    url: { label: 'URL of the topic', hint: 'Of ntfy.sh, or of your own server.', placeholder: 'https://ntfy.sh/…' },
    secret: { label: 'Access token', hint: 'Only if the topic needs one.', isRequired: false },
    recipients: null,
  },
  email: {
    text: 'E-mail',
    url: {
      label: 'Mail server',
      hint: 'smtps:// with TLS from the start, or smtp:// with STARTTLS.',
      placeholder: 'smtps://mail.example.org:465',
    },
    secret: { label: 'Password', hint: 'Only if the server needs a login.', isRequired: false },
    recipients: { label: 'Recipients', hint: 'One address on each line.' },
  },
}
