/** A root folder in which a release is installed, with an engine that answers and, on request, a stand-in for systemd. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs'
import http from 'node:http'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../fixtures/free-port.ts'
import { bareEnv } from '../../fixtures/bare-env.ts'
import { folderUnder } from '../../fixtures/folder.ts'
import { egressOf } from '../../../src/lib/net/egress.ts'
import { waitUntilReady } from '../../../src/installation/release/ready.ts'
import { unpack } from './archives.ts'

export interface CommandResult {
  /** Null if a signal ended the process. */
  status: number | null
  out: string
  err: string
}

const here = fileURLToPath(new URL('.', import.meta.url))

export type Machine = Awaited<ReturnType<typeof startMachine>>

/**
 * Installs a release without systemd units and users.
 * @param hasSystemd whether the service runs, by a stand-in for systemctl
 */
export async function startMachine(archive: string, version: string, { hasSystemd }: { hasSystemd: boolean }) {
  const end = new AsyncDisposableStack()
  const root = folderUnder(end)
  const engine = await idleEngine(join(root, 'engine.sock'))
  end.defer(engine.close)
  const port = await freePort()
  const current = join(root, 'opt/berth/current')
  const dataFolder = join(root, 'var/lib/berth')
  for (const path of ['opt/berth', 'etc/systemd/system', 'usr/local/bin'])
    mkdirSync(join(root, path), { recursive: true })
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  cpSync(unpack(archive, join(root, 'unpacked')), join(root, 'opt/berth', version), { recursive: true })
  symlinkSync(version, current)
  cpSync(join(current, 'berth.service'), join(root, 'etc/systemd/system/berth.service'))
  if (hasSystemd) mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  const env = {
    ...bareEnv({ BERTH_DATA: dataFolder, BERTH_PORT: String(port), DOCKER_HOST: engine.dockerHost }),
    MACHINE: root,
    HOME: root,
    PATH: `${here}${delimiter}${process.env.PATH}`,
  }

  /** Runs a program to its end. */
  async function run(program: string, args: string[]): Promise<CommandResult> {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const result: CommandResult = { status: null, out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      result.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      result.err += chunk
    })
    const [status] = (await once(child, 'close')) as [number | null]
    return { ...result, status }
  }

  /** Runs the installed command. */
  const berth = (...args: string[]) => run(join(current, 'bin/berth'), args)
  const systemctl = (verb: string) => run(join(here, 'systemctl'), [verb])
  end.defer(async () => void (await systemctl('stop')))

  const get = async (path: string, token = '') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } })
    return (await response.json()) as unknown
  }

  const send = (path: string, body: object, token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const post = async (path: string, body: object, token: string) =>
    (await (await send(path, body, token)).json()) as Record<string, string>

  /** Starts Berth and waits until it is ready. */
  async function start(): Promise<void> {
    await systemctl('start')
    const reason = await waitUntilReady(
      { host: '127.0.0.1', port, egress: egressOf([]) },
      readlinkSync(current),
      60_000,
    )
    if (reason !== null) throw new Error(reason)
  }

  return {
    root,
    dataFolder,
    run,
    berth,
    systemctl,
    get,
    post,
    send,
    start,
    /** Ends the engine, so that Berth is not ready. */
    closeEngine: engine.close,
    /** Runs `berth upgrade` with a short time for the new version. */
    upgrade: (...args: string[]) => berth('upgrade', '--root', root, '--timeout', '1', ...args),
    /** The version that runs at the next start. */
    version: () => readlinkSync(current),
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  }
}

/** An engine that answers and does nothing. */
async function idleEngine(socketPath: string) {
  const server = http.createServer((request, response) => {
    const isPing = request.url!.endsWith('/_ping')
    response.writeHead(isPing ? 200 : 500, { 'Api-Version': '1.41' }).end(isPing ? 'OK' : '{"message":"idle"}')
  })
  server.listen(socketPath)
  await once(server, 'listening')
  const close = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { dockerHost: `unix://${socketPath}`, close }
}
