/** The tables of docs/extensions.md have what the long tests try, and what they expect. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mariadbSamples, mysqlSamples } from './e2e/engine-samples.ts'
import { extensionSamples } from './e2e/extension-samples.ts'
import { documentedRows, sampleOf } from './e2e/sample.ts'

const tables = { PostgreSQL: extensionSamples, MariaDB: mariadbSamples, MySQL: mysqlSamples }

for (const [heading, samples] of Object.entries(tables)) {
  test(`docs/extensions.md has the result of each sample of ${heading}`, () => {
    const rows = documentedRows(heading).map(({ name, result, remark }) => [name, result, remark])
    const expected = Object.keys(samples).map((name) => {
      const { result, remark } = sampleOf(samples, name)
      return [name, result, remark]
    })
    assert.deepEqual(rows.sort(), expected.sort())
  })
}
