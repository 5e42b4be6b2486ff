/** The sentences of findings with their remedies, and the summary that a run has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DumpFinding } from '../kinds/dump-finding.ts'
import { fromJson } from '../lib/json.ts'
import { findingMessage, findingReasons, findingRemedy } from './finding-message.ts'
import { findingSummary, indispensableNeedsOf, needsOf } from './finding-summary.ts'

const broken = { reason: 'ViewBroken', type: 'VIEW', name: 'a`b', code: '1146', detail: 'no table' } as const
const undefinedTrigger = { reason: 'DefinerMissing', type: 'TRIGGER', name: 't', definer: 'gone@%' } as const
const needing = { reason: 'DatabaseNeeded', type: 'VIEW', name: 'v', database: 'crm' } as const
const foreignKey = { reason: 'DatabaseNeeded', type: 'TABLE', name: 'f', database: 'erp' } as const

const table: { [R in DumpFinding['reason']]: [finding: DumpFinding, message: string, remedy: string] } = {
  ViewBroken: [
    broken,
    'The view a`b cannot be read. The dump has only its definition, as a comment: no table',
    'Correct the view with CREATE OR REPLACE VIEW, or remove it: DROP VIEW `a``b`',
  ],
  DefinerMissing: [
    undefinedTrigger,
    'The trigger t is in the dump, but it does not work, because its definer gone@% does not exist',
    'Create the account gone@%, or create the trigger again with another definer',
  ],
  DatabaseNeeded: [
    needing,
    'The view v needs the database crm, which is not in this dump',
    'Back up the database crm too. On a new server, restore crm before this dump',
  ],
  IndexInvalid: [
    { reason: 'IndexInvalid', type: 'INDEX', name: 'public.i', definition: 'CREATE INDEX i ON public.t (a)' },
    'The index public.i is invalid, so it is not in the dump: CREATE INDEX i ON public.t (a)',
    'Build it again: REINDEX INDEX public.i. Or remove it: DROP INDEX public.i',
  ],
  ServerNeeded: [
    { reason: 'ServerNeeded', type: 'MATERIALIZED VIEW', name: 'public.m', server: 'away' },
    'A restore computes the materialized view public.m from the foreign server away, and fails if it does not reach that server',
    'Make sure that the place of a restore reaches the foreign server away',
  ],
  RowsElsewhere: [
    { reason: 'RowsElsewhere', type: 'FOREIGN TABLE', name: 'public.f', server: 'away' },
    'The rows of the foreign table public.f are on the foreign server away, and not in this dump',
    'Back up the foreign server away too',
  ],
}
for (const reason of findingReasons) {
  test(`says what ${reason} means and what to do`, () => {
    const [finding, message, remedy] = table[reason]
    assert.deepEqual([findingMessage(finding), findingRemedy(finding)], [message, remedy])
  })
}

test('a table whose engine does not tell the server', () => {
  const finding = { reason: 'RowsElsewhere', type: 'TABLE', name: 't', server: '' } as const
  assert.equal(findingMessage(finding), 'The rows of the table t are on another server, and not in this dump')
  assert.equal(findingRemedy(finding), 'Back up that server too')
})

test('sums up findings with the faults first, and none as null', () => {
  assert.equal(findingSummary({}), null)
  assert.deepEqual(fromJson(findingSummary({ findings: [needing, foreignKey, undefinedTrigger, broken] })), {
    count: 4,
    faultCount: 2,
    needs: ['crm', 'erp'],
    shown: [undefinedTrigger, broken, needing, foreignKey],
  })
  const many = Array.from({ length: 50 }, (_, at) => ({ ...needing, database: `crm${at}` }))
  const { count, needs, shown } = fromJson(findingSummary({ findings: [...many, broken] }))!
  assert.deepEqual([count, needs.length, shown.length, shown[0]], [51, 20, 20, broken])
})

test('tells the databases without which a restore fails from all that are needed', () => {
  const contents = { findings: [foreignKey, needing, needing] }
  assert.deepEqual([needsOf(contents), indispensableNeedsOf(contents)], [['crm', 'erp'], ['crm']])
  assert.deepEqual([needsOf({}), indispensableNeedsOf({})], [[], []])
})
