/** Berth as a separate process that a test can kill at any time and restart with the same data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled, nodeFlags } from '../fixtures/bundle.ts'
import { until } from '../engine/until.ts'
import { isGet } from '../fixtures/get-operations.ts'
import { linesIn, secretLeaks } from '../fixtures/secret-leaks.ts'
import { freePort } from '../fixtures/free-port.ts'

export type Call = <T = Record<string, unknown>>(
  name: string,
  input?: Record<string, unknown>,
  headers?: Record<string, string>,
) => Promise<{ status: number; body: T }>

const main = bundled('berth')

export interface ProcessOptions {
  /** A program with its arguments, for example `setpriv`, that starts Berth. */
  before?: string[]
  /** The path of the data folder for this process, if Berth has another mount namespace. */
  hostFolder?: string
  /** The folder for standard output and standard error. Without it, the data folder. */
  outputs?: string
}

/** Prepares a Berth without a proxy. The swarm has only one proxy, which tests of routing use. */
export async function berthProcess(folder: string, env: Record<string, string> = {}, options: ProcessOptions = {}) {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const { before = [], hostFolder = folder, outputs = hostFolder } = options
  const [logPath, errorsPath] = [join(outputs, 'berth.log'), join(outputs, 'berth.errors')]
  const leaks = secretLeaks()
  let child: ChildProcess | null = null
  let token = ''
  // `signInAgain` is for a Berth that has its account already.
  const [signIn, signInAgain] = [() => enter('auth.createAdmin'), () => enter('auth.login')]
  return { base, logPath, pid: () => child!.pid!, begin, start, runUntilExit, kill, stop, call, signIn, signInAgain }

  async function start() {
    begin()
    await until('Berth to answer', () => {
      if (hasEnded()) throw new Error(`Berth ended: ${readFileSync(errorsPath, 'utf8')}`)
      return fetch(`${base}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    })
  }

  /** Starts the process without waiting until Berth answers. */
  function begin() {
    const [log, errors] = [logPath, errorsPath].map((path) => openSync(path, 'a'))
    const argv = [...before, process.execPath, ...nodeFlags, main]
    child = spawn(argv[0]!, argv.slice(1), {
      env: { ...process.env, BERTH_DATA: folder, BERTH_PORT: String(port), BERTH_PROXY: 'off', ...env },
      stdio: ['ignore', log!, errors!],
    })
    closeSync(log!)
    closeSync(errors!)
  }

  /** Starts a Berth that refuses to run. Returns its exit status and its standard error. */
  async function runUntilExit() {
    const length = existsSync(errorsPath) ? readFileSync(errorsPath, 'utf8').length : 0
    begin()
    const [status] = (await once(child!, 'exit')) as [number | null]
    return { status, errors: readFileSync(errorsPath, 'utf8').slice(length) }
  }

  function hasEnded() {
    return child === null || child.exitCode !== null || child.signalCode !== null
  }

  /** Ends the process as a power failure would. */
  async function kill() {
    if (hasEnded()) return
    const exit = once(child!, 'exit')
    child!.kill('SIGKILL')
    await exit
    checkSecrets()
  }

  /** Returns the exit code. */
  async function stop(): Promise<number | null> {
    if (hasEnded()) return child?.exitCode ?? null
    const exit = once(child!, 'exit')
    child!.kill('SIGTERM')
    const [status] = (await exit) as [number | null]
    checkSecrets()
    return status
  }

  /** Asserts that neither the store nor the log has a secret of an earlier call in clear text. */
  function checkSecrets() {
    // At the end of a test its folder may be removed already.
    if (existsSync(hostFolder)) leaks.check(hostFolder, linesIn(logPath))
  }

  async function enter(name: string) {
    token = readFileSync(join(hostFolder, 'access-token'), 'utf8').trim()
    const { body } = await call<{ accessToken: string }>(name, { email: 'ada@example.org', password: 'correct horse' })
    token = body.accessToken
    return token
  }

  async function call<T = Record<string, unknown>>(
    name: string,
    input: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    const isQuery = isGet(name)
    const query = isQuery ? `?${new URLSearchParams(input as Record<string, string>)}` : ''
    const response = await fetch(`${base}/api/${name}${query}`, {
      method: isQuery ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(isQuery ? {} : { body: JSON.stringify(input) }),
    })
    const body = (await response.json()) as T
    leaks.collect(input)
    leaks.collect(body)
    return { status: response.status, body }
  }
}

export type BerthProcess = Awaited<ReturnType<typeof berthProcess>>

/** A Berth process as `databaseClientsOn` takes it. It has one account, so no call names one. */
export const inProject = (berth: Pick<BerthProcess, 'call'>, projectId: string) => ({
  projectId,
  call: <T>(name: string, input?: Record<string, unknown>, _as?: string | null, headers?: Record<string, string>) =>
    berth.call<T>(name, input, headers),
})
