/** What docs/monitoring/ gives to Prometheus and Grafana: promtool accepts it, and its metrics exist and are documented. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { startTestBerth } from '../fixtures/test-berth.ts'

const promtool = resolve('node_modules/.cache/berth-promtool/promtool')
const documents = resolve('docs/monitoring')
const read = (name: string) => readFileSync(join(documents, name), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'berth-monitoring-'))
after(() => rmSync(folder, { recursive: true, force: true }))

interface Family {
  name: string
  type: string
}

let text: string
let families: Family[]
before(async () => {
  const berth = await startTestBerth()
  text = await berth.app.metrics()
  await berth.close()
  families = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({ name: name!, type: type! }))
})

/** Runs promtool, which has to accept its input. */
function accepts(argv: string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync(promtool, argv, { input, cwd: documents, encoding: 'utf8' })
  assert.equal(status, 0, `promtool ${argv.join(' ')}: ${stdout}${stderr}`)
}

/** The expressions of the panels of the dashboard, with a value for its variable. */
function dashboardExpressions(): string[] {
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets?: { expr: string }[] }[] }
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$service', '.*')))
}

const metricsIn = (expression: string) => expression.match(/\bberth_\w+/g) ?? []

test('promtool accepts the rules, and they raise what their tests say', () => {
  accepts(['check', 'rules', '--lint=all', '--lint-fatal', 'berth-rules.yml'])
  accepts(['test', 'rules', 'berth-rules.test.yml'])
})

test('promtool accepts what Berth answers', () => {
  assert.ok(families.length >= 20, text)
  accepts(['check', 'metrics'], text)
})

test('every expression of the dashboard is valid', () => {
  const expressions = dashboardExpressions()
  assert.ok(expressions.length >= 20)
  // promtool parses expressions only as rules.
  const rules = expressions.map((expr, i) => ({ record: `berth:panel${i}`, expr }))
  const path = join(folder, 'dashboard.yml')
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  accepts(['check', 'rules', path])
})

test('rules and dashboard use only metrics that exist', () => {
  const known = new Set(families.map(({ name }) => name))
  const used = [...metricsIn(read('berth-rules.yml')), ...dashboardExpressions().flatMap(metricsIn)]
  assert.deepEqual(
    [...new Set(used)].filter((name) => !known.has(name)),
    [],
  )
})

test('every metric is documented with its type, and every documented metric exists', () => {
  const rows = [...read('README.md').matchAll(/^\| `(berth_\w+)` \| (\w+) \|/gm)]
  const documented = rows.map(([, name, type]) => `${name} ${type}`)
  assert.deepEqual(documented.toSorted(), families.map(({ name, type }) => `${name} ${type}`).toSorted())
})

test('every alert of the rules has a test', () => {
  const alerts = [...read('berth-rules.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name)
  const tested = new Set([...read('berth-rules.test.yml').matchAll(/alertname: (\w+)/g)].map(([, name]) => name))
  assert.deepEqual(
    alerts.filter((name) => !tested.has(name)),
    [],
  )
})
