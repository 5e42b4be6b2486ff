/** What carries the installation's label on the engine is what its store says, and nothing else. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { parts } from '../../src/routing/caddy/launch.ts'
import { processesIn } from '../../src/routing/proxy-processes.ts'
import { docker } from '../e2e/swarm.ts'
import type { Runtime } from './group.ts'
import { rowsOf } from './store.ts'

interface Row {
  id: string
  appName: string
  goal: string
  applicationStatus: string
  externalPort: number | null
}

export async function compareEngine({ folder }: Runtime, installationId: string): Promise<void> {
  const label = `label=berth.installation=${installationId}`
  const named = (...argv: string[]) => docker(...argv, '--filter', label, '--format', '{{.Name}}')
  const rows = rowsOf<Row>(folder, 'select id, appName, goal, applicationStatus, externalPort from database')
  const up = rows.filter(({ goal }) => goal === 'up')
  const gateways = up.filter(({ externalPort }) => externalPort !== null).map(({ id }) => `berth-gateway-${id}`)
  const ports = rowsOf<{ id: string }>(folder, 'select id from port').map(({ id }) => `berth-port-${id}`)
  const wanted = [...up.map(({ appName }) => appName), ...gateways, ...ports]
  // One that was stopped before it ever started has none.
  const mayBe = rows.filter(({ goal }) => goal === 'stopped').map(({ appName }) => appName)
  const services = await named('service', 'ls')
  assert.deepEqual(
    wanted.filter((name) => !services.includes(name)),
    [],
    'services that are missing',
  )
  assert.deepEqual(
    services.filter((name) => ![...wanted, ...mayBe].includes(name)),
    [],
    'services without a record',
  )

  const volumes = rowsOf<{ name: string; ownerId: string | null }>(folder, 'select name, ownerId from volume')
  const found = await named('volume', 'ls')
  assert.deepEqual(
    found.filter((name) => !volumes.some((it) => it.name === name)),
    [],
    'volumes without a record',
  )
  const used = volumes.filter(({ ownerId }) => up.some(({ id }) => id === ownerId)).map(({ name }) => name)
  assert.deepEqual(
    used.filter((name) => !found.includes(name)),
    [],
    'volumes that are missing',
  )
  await compareFiles(label, services)
  await compareContainers(label, services)
}

/** Each config and secret is in some service's hands. */
async function compareFiles(label: string, services: string[]): Promise<void> {
  const specs = services.length === 0 ? '' : (await docker('service', 'inspect', ...services)).join('')
  for (const keeping of ['config', 'secret']) {
    const held = await docker(keeping, 'ls', '--filter', label, '--format', '{{.ID}} {{.Name}}')
    assert.deepEqual(
      held.filter((line) => !specs.includes(line.split(' ')[0]!)),
      [],
      `a ${keeping} that nobody has`,
    )
  }
}

async function compareContainers(label: string, services: string[]): Promise<void> {
  const format = '{{.Names}} {{.Label "com.docker.swarm.service.name"}}'
  const containers = await docker('ps', '--all', '--filter', label, '--format', format)
  const left = containers.filter((line) => !services.includes(line.split(' ')[1]!))
  assert.deepEqual(left, [], 'containers of no service')
}

/** Ids of the processes of the proxy in this data folder. */
export const proxyProcesses = (folder: string): number[] =>
  parts.flatMap((part) => processesIn(join(folder, 'proxy', part)))

export function compareProxy(folder: string): void {
  assert.equal(proxyProcesses(folder).length, parts.length, 'processes of the proxy')
}
