/** Tests of `berth stats` over time, with a filled history. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { run } from '../../cli/program.ts'
import { openHistory } from '../../src/history/file.ts'
import { nodeMetrics } from '../../src/samples/sample.ts'
import { fillHistory } from '../history/generator.ts'
import { startCommandLine } from './cli-fixture.ts'
import { recorder } from './recorder.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
await cli.ok('create', 'postgres', 'orders', '--project', 'shop')
const [{ databaseId }] = JSON.parse(await cli.ok('ls', '--json')) as [{ databaseId: string }]

test('says that there are no values, and exits well', async () => {
  const { status, stdout, stderr } = await cli.command(['stats', 'orders', '--since', '7d'])
  assert.deepEqual([status, stdout], [0, ''])
  assert.match(stderr, /There are no values of shop\/orders in this time/)
})

test('prints a line for each value, with a drawing, the last and the highest', async () => {
  fillHistory(cli.berth.folder, [databaseId], new Date())
  const text = await cli.ok('stats', 'orders', '--since', '7d')
  const all = text.trimEnd().split('\n')
  assert.match(all.at(-1)!, /^\d{4}-\d\d-\d\dT\d\d:\d\dZ {2}deployment deploy: done$/)
  const lines = all.map((line) => line.split('\t')).filter((cells) => cells.length === 4)
  assert.deepEqual(lines.map(([name]) => name).slice(0, 3), ['answers', 'processor', 'memory'])
  for (const [, drawing, last, highest] of lines) {
    assert.match(drawing!, /^[▁▂▃▄▅▆▇█ ]{20,}$/)
    assert.ok(last !== '' && highest !== '')
  }
})

test('draws a short time without answers also in long steps', async () => {
  const name = 'reports'
  await cli.ok('create', 'postgres', name, '--project', 'shop')
  const found = JSON.parse(await cli.ok('ls', '--json')) as { databaseId: string; name: string }[]
  const { databaseId: subject } = found.find((each) => each.name === name)!
  const history = openHistory(cli.berth.folder, { error: assert.fail })
  const start = Math.floor(Date.now() / 600_000) * 600_000 - 1200_000
  for (let minute = 0; minute <= 20; minute++) {
    await history.record(new Date(start + minute * 60_000), [{ subject, metric: 'up', value: minute === 5 ? 0 : 1 }])
  }
  history.close()
  const [line] = (await cli.ok('stats', name, '--since', '7d')).split('\n')
  assert.match(line!, /^answers\t *▇ *\tyes\tyes$/)
})

test('fits the drawing into the terminal, without colours with NO_COLOR', async () => {
  const screen = recorder(true, 90)
  const env = { ...cli.env, XDG_CONFIG_HOME: cli.folder, NO_COLOR: '1' }
  const streams = { stdout: screen, stderr: recorder(true, 90) }
  assert.equal(await run(['stats', 'orders', '--since', '24h'], env, streams, new AbortController().signal), 0)
  const lines = screen.text.trimEnd().split('\n')
  assert.match(lines[0]!, /^MEASURED +OVER 1 D +LAST +HIGHEST$/)
  assert.ok(
    lines.every((line) => [...line].length <= 90),
    screen.text,
  )
  assert.ok(!screen.text.includes('\u001b'))
})

test('prints the values of a node', async () => {
  const [{ id, hostname }] = JSON.parse(await cli.ok('node', 'ls', '--json')) as [{ id: string; hostname: string }]
  assert.match((await cli.command(['stats', hostname, '--node'])).stderr, /There are no values of \S+ in this time/)
  fillHistory(cli.berth.folder, [id], new Date(), nodeMetrics)
  const lines = (await cli.ok('stats', hostname, '--node', '--since', '7d')).trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => line.split('\t')[0]),
    ['disk size', 'disk', 'memory size', 'memory', 'load', 'clock off by'],
  )
  assert.equal((await cli.command(['stats', hostname, '--node', '--watch'])).status, 2)
})

test('prints the answer of the API as JSON', async () => {
  const { stepSeconds, series } = JSON.parse(await cli.ok('stats', 'orders', '--since', '365d', '--json')) as {
    stepSeconds: number
    series: { metric: string }[]
  }
  assert.equal(stepSeconds % 3600, 0)
  assert.ok(series.some(({ metric }) => metric === 'connections'))
})

test('refuses options that do not go together, and a range that is none', async () => {
  const refusals: [args: string[], message: RegExp][] = [
    [['--until', '1h'], /--until needs --since/],
    [['--watch', '--since', '1h'], /Choose --watch or --since/],
    [['--since', 'yesterday'], /since: must be a time/],
    [['--since', '1h', '--until', '2h'], /since: must be before until/],
  ]
  for (const [args, message] of refusals) {
    const { status, stderr } = await cli.command(['stats', 'orders', ...args])
    assert.notEqual(status, 0)
    assert.match(stderr, message)
  }
})
