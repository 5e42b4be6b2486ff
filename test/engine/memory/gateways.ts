/** The TCP gateways of the in-memory engine: they answer the programs by which Berth controls HAProxy. */
import type { Exec } from '../../../src/engine/exec.ts'
import type { FoundTask, Outcome } from '../../../src/engine/engine.ts'
import { gatewayProxies, type GatewayProxy, sourcesFolder } from '../../../src/gateways/sources/control.ts'
import type { Runtime } from './state.ts'

/** A connection through a gateway. */
export interface MemorySession {
  id: string
  /** The address and the port of the client, such as `192.0.2.7:40000`. */
  source: string
}

/** The state of a gateway. Tests change it to simulate clients and faults. */
export interface MemoryGateway {
  /** The task whose HAProxy has the state. Another task begins with the sources in the volume. */
  taskId: string
  allowed: string[]
  sessions: MemorySession[]
  /** The number of refused connections. */
  refused: number
  /** Refused sources, as HAProxy prints them: the address, the milliseconds to live and the number of attempts. */
  refusedSources: string[]
  /** Why HAProxy refuses to be controlled; null: it accepts. */
  fault: string | null
  /** The proxies that reach a task of the target. */
  served: GatewayProxy[]
}

/** Returns what the program prints; null if the task is none of a gateway with a runtime API. */
export function gatewayAnswer(runtime: Runtime, task: FoundTask, { argv, stdin = '' }: Exec): Outcome | null {
  if (argv[3] !== 'berth-gateway') return null
  const mount = runtime.services.get(task.serviceName)?.spec?.mounts.find(({ path }) => path === sourcesFolder)
  if (mount === undefined) return { exitCode: 1, stdout: '', stderr: 'Connection refused' }
  const gateway = gatewayOf(runtime, task, mount.name)
  if (gateway.fault !== null) return { exitCode: 1, stdout: '', stderr: gateway.fault }
  const lines = stdin.split('\n').filter(Boolean)
  if (argv.at(-1) === 'apply') {
    if (lines.pop() !== 'end') return { exitCode: 1, stdout: '', stderr: 'The list of sources is incomplete' }
    gateway.allowed = lines
    runtime.sourceFiles.set(mount.name, lines)
  }
  if (argv.at(-1) === 'close') gateway.sessions = gateway.sessions.filter(({ id }) => !lines.includes(id))
  return { exitCode: 0, stdout: printed(gateway), stderr: '' }
}

function gatewayOf({ gateways, sourceFiles, volumes }: Runtime, task: FoundTask, volume: string): MemoryGateway {
  const before = gateways.get(task.serviceName)
  if (before?.taskId === task.id) return before
  const allowed = volumes.has(volume) ? (sourceFiles.get(volume) ?? []) : []
  const gateway = {
    taskId: task.id,
    allowed,
    sessions: [],
    refused: 0,
    refusedSources: [],
    fault: before?.fault ?? null,
    served: [...gatewayProxies],
  }
  gateways.set(task.serviceName, gateway)
  return gateway
}

function printed({ allowed, sessions, refused, refusedSources, served }: MemoryGateway): string {
  return [
    ...allowed.map((source) => `allowed ${source}`),
    ...sessions.map(({ id, source }) => `session ${id} ${source}`),
    'statistics pxname,svname,status,dcon',
    `statistics target,FRONTEND,OPEN,${refused}`,
    ...gatewayProxies.map((proxy) => `statistics ${proxy},task1,${served.includes(proxy) ? 'UP' : 'DOWN'},`),
    ...refusedSources.map((source) => `refused ${source}`),
    'router 010012AC',
    '',
  ].join('\n')
}
