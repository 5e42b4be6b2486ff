/** Measures the command line: the time of `berth ls`, compared with an empty program of Node and one request. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startBerth } from './berth.ts'
import { type Section, tableOfFigures } from './figures.ts'
import { newFolder, nodeFlags } from './processes.ts'
import { median, spread } from './table.ts'

const root = join(import.meta.dirname, '..')
/** The programs alternate, so that each pair runs under the same load. */
const pairs = 30

export async function benchCli(): Promise<Section> {
  const berth = await startBerth()
  const env = { ...process.env, BERTH_URL: berth.url, BERTH_TOKEN: berth.token, XDG_CONFIG_HOME: newFolder() }
  const { projectId } = await berth.call('project.create', { name: 'shop' })
  const settings = { databaseName: 'a', databaseUser: 'a', databasePassword: 'only for the bench' }
  for (const name of ['orders', 'users', 'stock']) {
    await berth.call('postgres.create', { name, appName: name, projectId, ...settings })
  }
  const list = () => timeOf([...nodeFlags, 'dist/cli.mjs', 'ls'], env)
  const request = () => timeOfRequest(`${berth.url}/api/database.all`, berth.token)
  const [lists, bases]: [number[], number[]] = [[], []]
  // The first run compiles the program and fills the page cache. It does not count.
  await list()
  await request()
  for (let at = 0; at < pairs; at++) {
    bases.push((await timeOf(['-e', '0'], env)) + (await request()))
    lists.push(await list())
  }
  await berth.close()
  const ratios = lists.map((ms, at) => ms / bases[at]!)
  const ms = { limit: null, digits: 0, unit: 'ms' }
  return tableOfFigures('The command line', [
    { ...ms, what: 'node -e 0 and one request', value: median(bases), note: spread(bases, 0) },
    { ...ms, what: 'berth ls', value: median(lists), note: spread(lists, 0) },
    {
      what: 'berth ls, relative to node -e 0 and one request',
      value: median(ratios),
      limit: 3,
      digits: 2,
      unit: '',
      note: `${pairs} pairs: ${spread(ratios, 2)}`,
    },
  ])
}

async function timeOf(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now()
  const [status] = (await once(spawn(process.execPath, argv, { cwd: root, env, stdio: 'ignore' }), 'exit')) as [number]
  if (status !== 0) throw new Error(`node ${argv.join(' ')} ended with ${status}`)
  return performance.now() - start
}

async function timeOfRequest(url: string, token: string): Promise<number> {
  const start = performance.now()
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, connection: 'close' } })
  await response.text()
  return performance.now() - start
}
