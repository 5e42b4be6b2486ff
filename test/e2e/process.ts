/** Berth as a process of its own, that a test can kill at any instant and start again on the same data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../engine/until.ts'
import { freePort } from './swarm.ts'

export type Call = <T = Record<string, unknown>>(
  name: string, input?: Record<string, unknown>, headers?: Record<string, string>,
) => Promise<{ status: number; body: T }>

const reads = /\.(one|all|get)$/

export async function berthProcess(folder: string, env: Record<string, string> = {}) {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  let token = ''
  return { base, start, kill, stop, call, signIn }

  async function start() {
    child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
      env: { ...process.env, BERTH_DATA: folder, BERTH_PORT: String(port), ...env }, stdio: 'ignore',
    })
    await until('Berth to answer', () => fetch(`${base}/healthz`).then((it) => it.ok, () => false))
  }

  function hasEnded() {
    return child === null || child.exitCode !== null || child.signalCode !== null
  }

  /** Ends it as a power cut would. */
  async function kill() {
    if (hasEnded()) return
    const gone = once(child!, 'exit')
    child!.kill('SIGKILL')
    await gone
  }

  /** Gives the exit code. */
  async function stop(): Promise<number | null> {
    if (hasEnded()) return child?.exitCode ?? null
    const gone = once(child!, 'exit')
    child!.kill('SIGTERM')
    return (await gone)[0] as number | null
  }

  async function signIn() {
    token = readFileSync(join(folder, 'access-token'), 'utf8').trim()
    const { body } = await call<{ accessToken: string }>('auth.createAdmin',
      { email: 'ada@example.org', password: 'correct horse' })
    token = body.accessToken
  }

  async function call<T = Record<string, unknown>>(
    name: string, input: Record<string, unknown> = {}, headers: Record<string, string> = {},
  ) {
    const isRead = reads.test(name)
    const query = isRead ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
    const response = await fetch(`${base}/api/${name}${query}`, {
      method: isRead ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(isRead ? {} : { body: JSON.stringify(input) }),
    })
    return { status: response.status, body: await response.json() as T }
  }
}

export type BerthProcess = Awaited<ReturnType<typeof berthProcess>>
