/** Fills a store with a channel of alerts, and checks that its settings open. */
import assert from 'node:assert/strict'
import { type ChannelSettings, sealSettings, settingsOf } from '../../src/alerts/channels/settings.ts'
import type { Reader, Writer } from '../../src/store/schema.ts'
import type { Vault } from '../../src/store/vault.ts'

const settings: ChannelSettings = {
  url: 'https://hooks.example.org/a-secret-path',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  username: null,
  sender: null,
  recipients: [],
}

export async function fillChannel(tx: Writer, vault: Vault): Promise<void> {
  const rules = { minSeverity: 'warning', projectIds: null, conditions: null, repeatHours: 24, enabled: 1 } as const
  const state = { lastSuccessAt: null, lastErrorAt: null, lastError: null }
  await tx
    .insertInto('channel')
    .values({
      ...{ id: 'channel', name: 'ops', type: 'webhook', settings: sealSettings(vault, 'channel', settings) },
      ...rules,
      ...state,
      createdAt: '2030-01-01T00:00:00.000Z',
    })
    .execute()
}

export async function checkChannel(db: Reader, vault: Vault): Promise<void> {
  const [channel] = await db.selectFrom('channel').selectAll().execute()
  assert.deepEqual(settingsOf(vault, channel!), settings)
}
