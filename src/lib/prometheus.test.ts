import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loopFamilies } from './async/loop-metrics.ts'
import { type Family, prometheusText } from './prometheus.ts'

const cases: [what: string, families: Family[], text: string][] = [
  ['no families', [], ''],
  ['a family without samples', [{ name: 'a', help: 'Of a.', samples: [] }], '# HELP a Of a.\n# TYPE a gauge\n'],
  [
    'a sample without labels',
    [{ name: 'a', help: 'A.', samples: [[{}, 1.5]] }],
    '# HELP a A.\n# TYPE a gauge\na 1.5\n',
  ],
  [
    'labels that have to be escaped',
    [{ name: 'a', help: 'A.', samples: [[{ b: 'x "y" \\ z\n', c: '' }, 0]] }],
    '# HELP a A.\n# TYPE a gauge\na{b="x \\"y\\" \\\\ z\\n",c=""} 0\n',
  ],
  [
    'loops, one of which has not ended a turn',
    loopFamilies([
      { name: 'ports', periodMs: 5000, failures: 3, lastTurn: { tookMs: 250, agoMs: 4000 } },
      { name: 'events', periodMs: null, failures: 0, lastTurn: null },
    ]),
    `# HELP berth_loop_failures Turns that failed since the last successful turn.
# TYPE berth_loop_failures gauge
berth_loop_failures{loop="ports"} 3
berth_loop_failures{loop="events"} 0
# HELP berth_loop_last_turn_seconds Duration of the last turn. Absent until a turn has ended.
# TYPE berth_loop_last_turn_seconds gauge
berth_loop_last_turn_seconds{loop="ports"} 0.25
# HELP berth_loop_last_turn_age_seconds Time since the last turn ended. Absent until a turn has ended.
# TYPE berth_loop_last_turn_age_seconds gauge
berth_loop_last_turn_age_seconds{loop="ports"} 4
`,
  ],
]

for (const [what, families, text] of cases) {
  test(`writes ${what} in Prometheus' text format`, () => assert.equal(prometheusText(families), text))
}
