import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Family, prometheusText } from './prometheus.ts'

const cases: [what: string, families: Family[], text: string][] = [
  ['nothing', [], ''],
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
]

for (const [what, families, text] of cases) {
  test(`in Prometheus' text format: ${what}`, () => assert.equal(prometheusText(families), text))
}
