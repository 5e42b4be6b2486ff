/** Operations on the settings of the installation. */
import { z } from 'zod'
import { command, query } from '../../api/contract.ts'
import type { SettingsTable } from '../../store/schema.ts'
import { checkPassed2FA } from '../operations/second-factor.ts'
import { settings, updateSettings } from './settings.ts'

const confirmDangerousCalls = z
  .boolean()
  .describe('Whether calls that can destroy data need a code of the second factor of the calling account')

const Settings = z.object({
  confirmDangerousCalls,
  changedAt: z.string().nullable().describe('Time of the last change of the settings; null if there was none'),
})

export const read = query({
  name: 'installation.settings',
  summary: 'Read the settings of the installation',
  access: 'user:read',
  reach: 'own',
  input: z.object({}),
  output: Settings,
  run: async ({ db }) => toSettings(await settings(db)),
})

export const update = command({
  name: 'installation.updateSettings',
  summary: 'Change the settings of the installation',
  description:
    'Needs a session that has passed the second factor. While `confirmDangerousCalls` is on, calls that destroy data ' +
    'need `confirmationCode`, and so do calls by which a stolen session could get around the codes. The description of ' +
    'each operation says which of its calls these are; docs/accounts.md lists all. auth.verify2FASetup then needs a ' +
    'session that signed in within the last 10 minutes. An account without a second factor cannot make these calls.',
  access: 'admin:session',
  confirmation: { calls: 'Every call', isNeeded: () => true, always: true },
  input: z.object({ confirmDangerousCalls }),
  output: Settings,
  async run({ tx, actor, now }, { confirmDangerousCalls: isOn }) {
    checkPassed2FA(actor)
    const before = await settings(tx)
    const changes = { confirmDangerousCalls: isOn ? (1 as const) : (0 as const), changedAt: now().toISOString() }
    if (changes.confirmDangerousCalls === before.confirmDangerousCalls) return toSettings(before)
    await updateSettings(tx, changes)
    return toSettings({ ...before, ...changes })
  },
})

function toSettings({ confirmDangerousCalls: isOn, changedAt }: SettingsTable) {
  return { confirmDangerousCalls: isOn === 1, changedAt }
}
