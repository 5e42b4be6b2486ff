/** Berth as a process of its own, that a test can kill at any instant and start again on the same data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../engine/until.ts'
import { spokenSecrets } from '../spoken-secrets.ts'
import { freePort } from './swarm.ts'

export type Call = <T = Record<string, unknown>>(
  name: string, input?: Record<string, unknown>, headers?: Record<string, string>,
) => Promise<{ status: number; body: T }>

const reads = /\.(one|all|get|runs|files)$/

export async function berthProcess(folder: string, env: Record<string, string> = {}) {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const logPath = join(folder, 'log')
  const spoken = spokenSecrets()
  let child: ChildProcess | null = null
  let token = ''
  // The second where the account is there already.
  const [signIn, signInAgain] = [() => enter('auth.createAdmin'), () => enter('auth.login')]
  return { base, start, kill, stop, call, signIn, signInAgain }

  async function start() {
    const log = openSync(logPath, 'a')
    child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
      env: { ...process.env, BERTH_DATA: folder, BERTH_PORT: String(port), ...env },
      stdio: ['ignore', log, 'ignore'],
    })
    closeSync(log)
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
    checkSecrets()
  }

  /** Gives the exit code. */
  async function stop(): Promise<number | null> {
    if (hasEnded()) return child?.exitCode ?? null
    const gone = once(child!, 'exit')
    child!.kill('SIGTERM')
    const [status] = await gone as [number | null]
    checkSecrets()
    return status
  }

  /** What was said in calls lies in clear neither in the store nor in the log. */
  function checkSecrets() {
    // At the end of a test its folder may be gone already.
    if (existsSync(folder)) spoken.check(folder, readFileSync(logPath, 'utf8').split('\n'))
  }

  async function enter(name: string) {
    token = readFileSync(join(folder, 'access-token'), 'utf8').trim()
    const { body } = await call<{ accessToken: string }>(name, { email: 'ada@example.org', password: 'correct horse' })
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
    const body = await response.json() as T
    spoken.hear(input)
    spoken.hear(body)
    return { status: response.status, body }
  }
}

export type BerthProcess = Awaited<ReturnType<typeof berthProcess>>
