import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesText } from './channel-rules.ts'

const all = { minSeverity: 'warning', conditions: null, repeatHours: 24 } as const

const cases: [rules: Partial<Parameters<typeof rulesText>[0]>, projects: string[] | undefined, expected: string][] = [
  [{}, undefined, 'warnings and critical conditions; repeated every 24 hours while present'],
  [
    { minSeverity: 'info', repeatHours: 1 },
    ['shop'],
    'all conditions; of the project shop; repeated every hour while present',
  ],
  [
    { minSeverity: 'info', conditions: ['DatabaseDown', 'BackupFailed'], repeatHours: null },
    ['shop', 'crm'],
    'only these conditions: down, backup failed; of the projects shop, crm; never repeated',
  ],
  [
    { conditions: ['DiskFilling'], repeatHours: null },
    undefined,
    'these conditions, if they are warnings or critical: disk is filling up; never repeated',
  ],
]
for (const [rules, projects, expected] of cases) {
  test(`a channel gets ${expected}`, () => assert.equal(rulesText({ ...all, ...rules }, projects), expected))
}
