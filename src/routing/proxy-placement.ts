/**
 * Runs the proxy as a Swarm service on the engine's own node, or as processes on this machine. The proxy's folder
 * contains its admin sockets, which only Berth can open, its configuration and its keys.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonMessage } from '../deployments/reason-message.ts'
import { plan } from '../engine/plan.ts'
import { readTail } from '../lib/net/read-tail.ts'
import { adminAt, ProxyUnavailable } from './caddy/admin.ts'
import { type ProcessName, processNames, socketPathsIn, program, proxyName, socketsOf } from './caddy/launch.ts'
import { outgoingContent, outgoingFile, outgoingVariables, withoutOutgoing } from './caddy/outgoing.ts'
import { hasOtherOutgoing, killProcessesIn } from './proxy-processes.ts'
import { proxySpec } from './specs.ts'
import { taskReason } from '../databases/reconcile/task-health.ts'
import type { ProxySettings } from '../lib/net/outgoing-proxy.ts'
import type { Runtime } from '../runtime.ts'

export interface ProxyPlacement {
  /** The absolute path of the proxy's folder. */
  folder: string
  /** Whether the proxy was started before, by this process of Berth or an earlier one. */
  exists(): Promise<boolean>
  /**
   * Starts the proxy if it does not run. If the proxy is a service whose specification changed, updates the service.
   * Does not wait until the proxy answers.
   * @throws ProxyUnavailable, or errors of the engine
   */
  ensure(): Promise<void>
  /** Returns why the proxy does not answer, or '' if the cause is unknown. */
  whyDown(): Promise<string>
}

/** Maximum length of the path of a unix socket in bytes. Source: unix(7). */
const maxSocketLength = 107

/** To find the last line of the log, Berth reads at most this many bytes from the end of the log. */
const maxLogBytes = 64 * 1024

/** Returns null if BERTH_PROXY is off. */
export function proxyPlacementOf(runtime: Runtime): ProxyPlacement | null {
  const folder = join(runtime.config.dataFolder, 'proxy')
  switch (runtime.config.proxy) {
    case 'off':
      return null
    case 'service':
      return servicePlacement(runtime, folder)
    case 'process':
      return processPlacement(runtime, folder)
  }
}

/**
 * Creates the proxy's folder and a folder in it for each process.
 * @throws ProxyUnavailable if the path is too long for the sockets
 */
function makeFolders(folder: string): void {
  const longest = Math.max(...Object.values(socketPathsIn(folder)).map((path) => Buffer.byteLength(path)))
  if (longest > maxSocketLength) {
    throw new ProxyUnavailable(
      `The path of BERTH_DATA is ${longest - maxSocketLength} bytes too long for the proxy's sockets. ` +
        'Move the data folder to a shorter path',
    )
  }
  for (const path of [folder, ...processNames.map((processName) => join(folder, processName))]) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }
}

function writeOutgoing(folder: string, settings: ProxySettings): void {
  const [path, content] = [outgoingFile(folder), outgoingContent(settings)]
  if (content === null) rmSync(path, { force: true })
  else writeFileSync(path, content, { mode: 0o600 })
}

function servicePlacement(
  { db, engine, config, installationId, ensureEngine }: Runtime,
  folder: string,
): ProxyPlacement {
  const observed = db.selectFrom('application').select('id').where('name', '=', proxyName).where('isOwn', '=', 1)
  return {
    folder,
    exists: async () => (await observed.executeTakeFirst()) !== undefined,
    async ensure() {
      await ensureEngine()
      makeFolders(folder)
      writeOutgoing(folder, config.proxySettings)
      const [services, nodes] = await Promise.all([engine.servicesNamed([proxyName]), engine.nodes()])
      const nodeId = nodes.find(({ local }) => local)?.id ?? ''
      const user = `${process.getuid!()}:${process.getgid!()}`
      const owner = { installationId, databaseId: null }
      for (const change of plan([proxySpec({ folder, user, nodeId }, config)], services, owner)) {
        if (change.do === 'conflict') {
          throw new ProxyUnavailable(`A service that Berth did not create already has the name ${proxyName}. Remove it`)
        }
        if (change.do === 'create') await engine.createService(change.spec)
        if (change.do === 'update') await engine.updateService(change.spec)
      }
    },
    async whyDown() {
      const [task] = await engine.tasks([proxyName])
      return task === undefined || task.state === 'running' ? '' : reasonMessage(taskReason(task))
    },
  }
}

/** The processes are detached, so they continue to serve applications when Berth stops or crashes. */
function processPlacement({ log, config }: Runtime, folder: string): ProxyPlacement {
  const socketPaths = socketPathsIn(folder)
  const logPath = join(folder, 'log')
  const running = new Map<string, ChildProcess>()
  const looked = new Set<ProcessName>()
  let fault = ''
  return {
    folder,
    exists: async () => existsSync(logPath),
    async ensure() {
      makeFolders(folder)
      for (const processName of processNames) {
        if (!running.has(processName) && (await needsStart(processName))) start(processName)
      }
    },
    whyDown: async () => (fault === '' ? lastLineOf(await readTail(logPath, maxLogBytes)) : fault),
  }

  /** A process that an earlier process of Berth started may still run, with the settings of that time. */
  async function needsStart(processName: ProcessName): Promise<boolean> {
    const variables = outgoingVariables(processName, config.proxySettings)
    const isFirstLook = !looked.has(processName)
    looked.add(processName)
    if (isFirstLook && hasOtherOutgoing(join(folder, processName), variables)) return true
    return !(await adminAt(socketPaths[`${processName}Admin`]).answers())
  }

  function start(processName: ProcessName) {
    const sockets = socketsOf(socketPaths, processName)
    const {
      argv: [command, ...args],
      env,
    } = program('caddy', sockets[0]!, join(folder, processName))
    // An earlier process of Berth may have started a Caddy that no longer answers but still occupies the ports.
    killProcessesIn(join(folder, processName))
    // Caddy cannot listen on a socket file that a killed process left behind.
    for (const path of sockets) rmSync(path, { force: true })
    const output = openSync(logPath, 'a', 0o600)
    const child = spawn(command!, args, {
      env: { ...withoutOutgoing(process.env), ...outgoingVariables(processName, config.proxySettings), ...env },
      detached: true,
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    running.set(processName, child)
    fault = ''
    child.unref()
    child
      .on('exit', () => running.delete(processName))
      .on('error', (error) => {
        running.delete(processName)
        fault = `The program caddy could not be started. Check that it is on Berth's PATH: ${error.message}`
        log.error('the proxy could not be started', error, { part: processName })
      })
  }
}

const lastLineOf = (text: string): string => text.trimEnd().split('\n').at(-1)!
