/** Berth as a process of its own, that a test can kill at any instant and start again on the same data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled, nodeFlags } from '../fixtures/bundle.ts'
import { until } from '../engine/until.ts'
import { isGet } from '../fixtures/gets.ts'
import { linesIn, secretLeaks } from '../fixtures/secret-leaks.ts'
import { freePort } from './swarm.ts'

export type Call = <T = Record<string, unknown>>(
  name: string,
  input?: Record<string, unknown>,
  headers?: Record<string, string>,
) => Promise<{ status: number; body: T }>

const main = bundled('berth')

/** Where and how it runs, if not as this process does. */
export interface ProcessOptions {
  /** A program, with its arguments, that starts it. */
  before?: string[]
  /** Where this process finds its folder. */
  seenAt?: string
  /** A folder for what it writes to its standard output and standard error; without, its own. */
  outputs?: string
}

/** Without a proxy: of that there is one on the swarm, which any Berth that may have one would make for all others. */
export async function berthProcess(folder: string, env: Record<string, string> = {}, options: ProcessOptions = {}) {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const { before = [], seenAt = folder, outputs = seenAt } = options
  const [logPath, saidPath] = [join(outputs, 'berth.log'), join(outputs, 'berth.said')]
  const spoken = secretLeaks()
  let child: ChildProcess | null = null
  let token = ''
  // The second where the account is there already.
  const [signIn, signInAgain] = [() => enter('auth.createAdmin'), () => enter('auth.login')]
  return { base, logPath, pid: () => child!.pid!, begin, start, refused, kill, stop, call, signIn, signInAgain }

  async function start() {
    begin()
    await until('Berth to answer', () => {
      if (hasEnded()) throw new Error(`Berth ended: ${readFileSync(saidPath, 'utf8')}`)
      return fetch(`${base}/healthz`).then(
        (it) => it.ok,
        () => false,
      )
    })
  }

  /** Does not wait until it answers. */
  function begin() {
    const [log, said] = [logPath, saidPath].map((path) => openSync(path, 'a'))
    const argv = [...before, process.execPath, ...nodeFlags, main]
    child = spawn(argv[0]!, argv.slice(1), {
      env: { ...process.env, BERTH_DATA: folder, BERTH_PORT: String(port), BERTH_PROXY: 'off', ...env },
      stdio: ['ignore', log!, said!],
    })
    closeSync(log!)
    closeSync(said!)
  }

  /** Of a start that ends by itself: its status and what it said. */
  async function refused() {
    const before = existsSync(saidPath) ? readFileSync(saidPath, 'utf8').length : 0
    begin()
    const [status] = (await once(child!, 'exit')) as [number | null]
    return { status, said: readFileSync(saidPath, 'utf8').slice(before) }
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
    const [status] = (await gone) as [number | null]
    checkSecrets()
    return status
  }

  /** What was said in calls lies in clear neither in the store nor in the log. */
  function checkSecrets() {
    // At the end of a test its folder may be gone already.
    if (existsSync(seenAt)) spoken.check(seenAt, linesIn(logPath))
  }

  async function enter(name: string) {
    token = readFileSync(join(seenAt, 'access-token'), 'utf8').trim()
    const { body } = await call<{ accessToken: string }>(name, { email: 'ada@example.org', password: 'correct horse' })
    token = body.accessToken
    return token
  }

  async function call<T = Record<string, unknown>>(
    name: string,
    input: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    const isRead = isGet(name)
    const query = isRead ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
    const response = await fetch(`${base}/api/${name}${query}`, {
      method: isRead ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(isRead ? {} : { body: JSON.stringify(input) }),
    })
    const body = (await response.json()) as T
    spoken.hear(input)
    spoken.hear(body)
    return { status: response.status, body }
  }
}

export type BerthProcess = Awaited<ReturnType<typeof berthProcess>>
