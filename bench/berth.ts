/** Starts Berth as in production: in a separate process, with its own data folder and its log in a file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bind, newFolder, nodeFlags, stop } from './processes.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
export const installationToken = 'an-installation-token-for-the-bench-only'
const startMs = 30_000

const program = [...nodeFlags, 'dist/berth.mjs']

export interface Berth {
  url: string
  /** The administrator's token. */
  token: string
  child: ChildProcess
  /** From the spawn to the first answer of /healthz. */
  startMs: number
  call(name: string, input: Record<string, unknown>, headers?: Record<string, string>): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export async function startBerth(env: Record<string, string> = {}): Promise<Berth> {
  const started = await spawnBerth(env)
  const account = { email: 'bench@example.org', password: 'only for the bench' }
  const { accessToken } = await post(`${started.url}/api/auth.createAdmin`, installationToken, account)
  const token = accessToken as string
  const call: Berth['call'] = (name, input, headers) => post(`${started.url}/api/${name}`, token, input, headers)
  return { ...started, token, call }
}

/** Starts Berth without an account, and by default without a proxy, because a proxy service would stay on the swarm. */
export async function spawnBerth(env: Record<string, string> = {}, folder = newFolder()) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const log = openSync(join(folder, 'berth.log'), 'a')
  const own = {
    BERTH_DATA: folder,
    BERTH_PORT: String(port),
    BERTH_ACCESS_TOKEN: installationToken,
    BERTH_PROXY: 'off',
    ...env,
  }
  const start = performance.now()
  const settings = { ...process.env, ...own }
  const child = bind(spawn(process.execPath, program, { cwd: root, env: settings, stdio: ['ignore', log, log] }))
  closeSync(log)
  while (!(await isUp(`${url}/healthz`))) {
    if (child.exitCode !== null || performance.now() - start > startMs) {
      throw new Error(`Berth does not start:\n${readFileSync(join(folder, 'berth.log'), 'utf8')}`)
    }
    await pause(2)
  }
  return { url, child, startMs: performance.now() - start, close: () => stop(child) }
}

function isUp(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    http
      .get(url, { agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode === 200)
      })
      .on('error', () => resolve(false))
  })
}

async function post(url: string, token: string, input: Record<string, unknown>, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(input),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  })
  const body = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(body)}`)
  return body
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Resident memory in MiB. */
export function residentMiB(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}
