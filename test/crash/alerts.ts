/** Channels, whose receiver does not answer, and mutes. Nothing outside the store depends on them. */
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { listing, recordsOf } from './records.ts'

const [maxChannels, maxMutes] = [3, 5]
/** Port 9 is the discard service (RFC 863), which no machine of the tests runs. */
const url = 'http://127.0.0.1:9/topic'

export function channelsOf({ client, prefix }: Runtime): Group {
  const next = counter()
  const toListed = listing('channelId', 'name', ['name', 'repeatHours', 'enabled'])
  const records = recordsOf<{ name: string; repeatHours: number; enabled: boolean }>(client, 'channel', async () =>
    (await client.read<Record<string, unknown>[]>('channel.all'))!.map(toListed),
  )
  return { name: 'channels', calls, compare: records.compare, compareExternal: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(['create', 'update', 'update', 'remove'] as const)
    const settings = { repeatHours: 1 + random.below(48), enabled: random.chance(80) }
    if (verb === 'create' && records.all().length < maxChannels) {
      const name = `${prefix}-channel-${next()}`
      const secret = `secret-of-a-channel-${next()}`
      await records.create<{ channelId: string }>(
        'channel.create',
        { name, type: 'ntfy', url, secret, ...settings },
        name,
        { name, ...settings },
        ({ channelId }) => channelId,
      )
      return
    }
    if (present.length === 0) return
    const record = random.pick(present)
    const input = { channelId: record.id }
    if (verb === 'remove') {
      await records.change(record, { operation: 'channel.remove', input, apply: () => null })
    } else {
      const { name } = record.possible[0]!
      await records.change(record, {
        operation: 'channel.update',
        input: { ...input, name, type: 'ntfy', url, secret: null, ...settings },
        apply: (before) => ({ ...before, ...settings }),
      })
    }
  }
}

export function mutesOf({ client, prefix }: Runtime): Group {
  const next = counter()
  const toListed = listing('muteId', 'subjectId', ['condition'])
  const records = recordsOf<{ condition: string | null }>(client, 'mute', async () =>
    (await client.read<Record<string, unknown>[]>('alert.mutes'))!.map(toListed),
  )
  return { name: 'mutes', calls, compare: records.compare, compareExternal: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    if (present.length > 0 && random.chance(50)) {
      const record = random.pick(present)
      await records.change(record, { operation: 'alert.unmute', input: { muteId: record.id }, apply: () => null })
    } else if (records.all().length < maxMutes) {
      // Housekeeping deletes the mutes of databases that do not exist, but not those of host names.
      const subjectId = `${prefix}-muted-${next()}`
      const condition = random.pick([null, 'CertificateNotRenewable'])
      await records.create<{ muteId: string }>(
        'alert.mute',
        { subjectKind: 'hostName', subjectId, condition, hours: 2 },
        subjectId,
        { condition },
        ({ muteId }) => muteId,
      )
    }
  }
}
