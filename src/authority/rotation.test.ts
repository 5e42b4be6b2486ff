import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rotationReason, rotationStep } from './rotation.ts'
import { rotationMessage, rotationReasons } from './rotation-message.ts'
import type { AuthorityName, GenerationState } from './table.ts'

type Row = { generation: number; state: GenerationState }
const settled: Row[] = [{ generation: 4, state: 'current' }]
const distributing: Row[] = [...settled, { generation: 5, state: 'next' }]
const replacing: Row[] = [
  { generation: 4, state: 'retiring' },
  { generation: 5, state: 'current' },
]

test('the states of the generations tell the step', () => {
  assert.equal(rotationStep(settled), null)
  assert.equal(rotationStep(distributing), 'distributing')
  assert.equal(rotationStep(replacing), 'replacing')
})

test('each step has a reason with a message', () => {
  const cases: [name: AuthorityName, rows: Row[], code: string, message: RegExp][] = [
    ['engines', distributing, 'EnginesLackTrust', /adds generation 5 .* Generation 4 signs until all have it$/],
    ['installation', distributing, 'ClientsLackTrust', /^Generation 4 signs until you finish .* of generation 5 /],
    ['engines', replacing, 'OldCertificatesInUse', /^Generation 5 signs\. The older generation stays trusted/],
  ]
  for (const [name, rows, code, message] of cases) {
    const reason = rotationReason(name, rows)
    assert.equal(reason?.reason, code)
    assert.match(rotationMessage(reason!), message)
  }
  assert.deepEqual(cases.map(([, , code]) => code).toSorted(), rotationReasons.toSorted())
  for (const name of ['engines', 'installation'] as const) assert.equal(rotationReason(name, settled), null)
})
