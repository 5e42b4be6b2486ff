/** Starts and stops the process: settings, app, server and signals. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setPriority } from 'node:os'
import { openApp } from './app.ts'
import type { App } from './api/services.ts'
import { checkTrustedProxies, hostBridges } from './cluster/trusted-proxies.ts'
import { type Config, parseConfig } from './config.ts'
import type { CredentialsFor } from './engine/engine.ts'
import { dockerEngine } from './engine/docker/engine.ts'
import { engineUnavailableText, faultText, greeting, heldBackText } from './greeting.ts'
import { openServer } from './http/server.ts'
import { upgradeBarriers } from './installation/release/unconfirmed.ts'
import { type Log, openLog } from './lib/log.ts'
import { operations } from './operations.ts'
import { startWatchdog } from './watchdog.ts'

/** Maximum time for open requests to end after a stop signal. The whole shutdown may take twice as long. */
const graceMs = 10_000
/** Niceness of Berth. A process with a value below 0 gets more processor time than one with the usual value 0. */
const niceness = -10

type Server = ReturnType<typeof openServer>

/**
 * Serves until a signal. If the start fails, prints the reason to standard error and exits with status 1.
 *
 * @param script the script of the process, which the thread of the watchdog runs, too
 */
export async function start(env: NodeJS.ProcessEnv, script: string): Promise<void> {
  const config = readSettings(env)
  const log = openLog()
  process.on('uncaughtException', (error) => {
    log.error('crash', error)
    log.flush()
    process.exit(1)
  })
  // Standard error may be a file on a full disk or a closed pipe. Without a listener, a failed write would end Berth.
  process.stderr.on('error', (error) => log.error('standard error cannot be written', error))
  raisePriority(log)
  try {
    await serve(config, log, env)
    // A start may take longer than the watchdog allows: it migrates and checks the store.
    startWatchdog(script)
  } catch (error) {
    log.error('could not start', error)
    log.flush()
    fail(faultText(error, config))
  }
}

/**
 * Raises the scheduling priority of Berth, so that callers do not wait while many databases start at the same time. If
 * autogroup is on, Linux applies the niceness of a process only within its session, so Berth sets the niceness of the
 * session (sched(7)). That needs root and a writable /proc. If it fails, Berth runs with normal priority.
 */
function raisePriority(log: Log) {
  const autogroup = '/proc/self/autogroup'
  try {
    if (existsSync(autogroup)) writeFileSync(autogroup, String(niceness))
    else setPriority(niceness)
  } catch (error) {
    log.info('runs with normal priority', { reason: (error as Error).message })
  }
}

function readSettings(env: NodeJS.ProcessEnv): Config {
  try {
    const config = parseConfig(env)
    if (config.trustedProxies.length > 0) checkTrustedProxies(config.trustedProxies, hostBridges())
    return config
  } catch (error) {
    return fail((error as Error).message)
  }
}

function fail(message: string): never {
  process.stderr.write(`\n  Berth cannot start.\n\n${message.replace(/^ */gm, '  ')}\n\n`)
  process.exit(1)
}

async function serve(config: Config, log: Log, env: NodeJS.ProcessEnv) {
  const { dockerHost, networkName, advertiseAddress, udpGatewayImage: remoteCommandImage } = config
  const connect = (installationId: string, credentialsFor: CredentialsFor) =>
    dockerEngine({ dockerHost, networkName, advertiseAddress, installationId, credentialsFor, remoteCommandImage })
  const app = await openApp(config, log, connect, {
    isTakingOver: env.BERTH_TAKE_OVER === '1',
    barriers: upgradeBarriers(fileURLToPath(new URL('..', import.meta.url))),
  })
  const server = openServer(app, operations)
  stopOnSignal(app, server)
  try {
    await server.listen({ host: config.host, port: config.port })
  } catch (error) {
    await app.close()
    throw error
  }
  log.info('serving', { host: config.host, port: config.port, dataFolder: config.dataFolder, pid: process.pid })
  await greet(app, env)
}

async function greet(app: App, { BERTH_COMMAND: command = 'berth' }: NodeJS.ProcessEnv) {
  const account = await app.db.selectFrom('account').select('id').limit(1).executeTakeFirst()
  const { config, tokenLocation } = app
  const hasDefaultFolder = config.dataFolder === parseConfig({}).dataFolder
  process.stderr.write(
    greeting({ config, tokenLocation, version: versionOf(), isNew: account === undefined, command, hasDefaultFolder }),
  )
  const { engine, changes } = await app.readiness()
  if (changes !== '') process.stderr.write(heldBackText(changes))
  if (engine !== '') process.stderr.write(engineUnavailableText(engine))
}

function versionOf() {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}

/** The first signal stops the server when its open requests have ended. A second signal ends the process at once. */
function stopOnSignal(app: App, server: Server) {
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) end(app, 1)
      isStopping = true
      void stop(app, server, signal)
    })
  }
}

async function stop(app: App, server: Server, signal: string) {
  app.log.info('stopping', { signal })
  app.releaseWaits()
  const connectionsTimer = setTimeout(() => server.server.closeAllConnections(), graceMs)
  const exitTimer = setTimeout(() => end(app, 1), 2 * graceMs)
  try {
    await server.close()
    await app.close()
    end(app, 0)
  } catch (error) {
    app.log.error('could not stop cleanly', error)
    end(app, 1)
  } finally {
    clearTimeout(connectionsTimer)
    clearTimeout(exitTimer)
  }
}

function end(app: App, status: number) {
  app.log.info('stopped', { status })
  app.log.flush()
  process.exit(status)
}
