/** Compares the objects on the engine that have the installation's label with the store. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { processNames } from '../../src/routing/caddy/launch.ts'
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
  const namesOf = (...argv: string[]) => docker(...argv, '--filter', label, '--format', '{{.Name}}')
  const rows = rowsOf<Row>(folder, 'select id, appName, goal, applicationStatus, externalPort from database')
  const up = rows.filter(({ goal }) => goal === 'up')
  const gateways = up.filter(({ externalPort }) => externalPort !== null).map(({ id }) => `berth-gateway-${id}`)
  const ports = rowsOf<{ id: string }>(folder, 'select id from port').map(({ id }) => `berth-port-${id}`)
  const expected = [...up.map(({ appName }) => appName), ...gateways, ...ports]
  // A database that was stopped before its first start has no service.
  const optional = rows.filter(({ goal }) => goal === 'stopped').map(({ appName }) => appName)
  const services = await namesOf('service', 'ls')
  assert.deepEqual(
    expected.filter((name) => !services.includes(name)),
    [],
    'services that are missing',
  )
  assert.deepEqual(
    services.filter((name) => ![...expected, ...optional].includes(name)),
    [],
    'services without a record',
  )

  const volumes = rowsOf<{ name: string; ownerId: string | null }>(folder, 'select name, ownerId from volume')
  const onEngine = await namesOf('volume', 'ls')
  assert.deepEqual(
    onEngine.filter((name) => !volumes.some((it) => it.name === name)),
    [],
    'volumes without a record',
  )
  const used = volumes.filter(({ ownerId }) => up.some(({ id }) => id === ownerId)).map(({ name }) => name)
  assert.deepEqual(
    used.filter((name) => !onEngine.includes(name)),
    [],
    'volumes that are missing',
  )
  await compareFiles(label, services)
  await compareContainers(label, services)
}

/** Asserts that a service uses each config and each secret. */
async function compareFiles(label: string, services: string[]): Promise<void> {
  const specs = services.length === 0 ? '' : (await docker('service', 'inspect', ...services)).join('')
  for (const kind of ['config', 'secret']) {
    const files = await docker(kind, 'ls', '--filter', label, '--format', '{{.ID}} {{.Name}}')
    assert.deepEqual(
      // The config that names the process in charge belongs to no service.
      files.filter((line) => !specs.includes(line.split(' ')[0]!) && !line.includes(' berth-charge-')),
      [],
      `a ${kind} that no service uses`,
    )
  }
}

async function compareContainers(label: string, services: string[]): Promise<void> {
  const format = '{{.Names}} {{.Label "com.docker.swarm.service.name"}}'
  const containers = await docker('ps', '--all', '--filter', label, '--format', format)
  const orphans = containers.filter((line) => !services.includes(line.split(' ')[1]!))
  assert.deepEqual(orphans, [], 'containers without a service')
}

/** Returns the ids of the proxy's processes in this data folder. */
export const proxyProcesses = (folder: string): number[] =>
  processNames.flatMap((processName) => processesIn(join(folder, 'proxy', processName)))

export function compareProxy(folder: string): void {
  assert.equal(proxyProcesses(folder).length, processNames.length, 'processes of the proxy')
}
