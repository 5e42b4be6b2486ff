/** Runs a kind's servers as plain containers, without a swarm and Berth, and the kind's programs inside them. */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../../src/engine/docker/jobs/exec.ts'
import type { Program } from '../../src/kinds/backup.ts'
import type { Exec } from '../../src/engine/exec.ts'
import type { Address, Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import { docker, dockerHost, engineApi } from './swarm.ts'

export interface Server {
  id: string
  address: Address
}
export interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
}

/**
 * Options of `docker run` with which images of MySQL and MariaDB do not load the time zones. Loading them takes most of
 * the initialization time.
 */
export const withoutTimeZones = ['--env', 'MARIADB_INITDB_SKIP_TZINFO=1', '--env', 'MYSQL_INITDB_SKIP_TZINFO=1']

export const done: Outcome = { exitCode: 0, stdout: '', stderr: '' }

/** Longer than any program of the tests takes. */
const programTimeoutMs = 600_000

/**
 * Runs a program in a container, as the engine runs a kind's programs. `image` adds variables that the image could have
 * set. If the engine refuses to run the program, because the container has ended for instance, the exit code is 1.
 */
export async function inside(id: string, { argv, env, stdin = '' }: Exec, image = {}): Promise<Outcome> {
  const exec = { argv, env: { ...image, ...env }, stdin }
  try {
    return await runProgram(engineApi, id, exec, programTimeoutMs)
  } catch (error) {
    return { exitCode: 1, stdout: '', stderr: (error as Error).message }
  }
}

/** Runs a program again while it times out, as Berth's loops do. A slow machine must not fail these tests. */
async function runWithRetries(id: string, exec: Exec, image: object): Promise<Outcome> {
  for (let retries = 5; ; retries--) {
    const outcome = await inside(id, exec, image)
    if (retries === 0 || !outcome.stderr.startsWith('no answer within ')) return outcome
  }
}

/** Runs a shell command in a container. */
export const shell = (id: string, command: string, stdin = '') =>
  inside(id, { argv: ['sh', '-c', command], env: {}, stdin })

/** Returns a container's standard output and standard error. */
export async function logOf(id: string): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile('docker', ['--host', dockerHost, 'logs', id], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      error ? reject(error) : resolve(`${stdout}\n${stderr}`),
    ),
  )
}

/**
 * Shell text that runs its arguments with another `sleep`, which records whole seconds and ends at once. Then it prints
 * what was recorded.
 */
const withoutPauses = `folder=$(mktemp -d)
printf '%s\\n' '#!/bin/sh' 'case $1 in *.*) exec /bin/sleep "$1" ;; esac' 'echo "$1" >>"$0.seconds"' >"$folder/sleep"
chmod +x "$folder/sleep"
: >"$folder/sleep.seconds"
PATH=$folder:$PATH "$@" >/dev/null
status=$?
cat "$folder/sleep.seconds"
rm -r "$folder"
exit "$status"`

/** Returns functions that start containers of one kind's image and run the kind's programs in them. */
export function containersOf<Credentials extends Record<string, unknown>>(kind: Kind, image: string) {
  const label = `berth-test-kind=${kind.name}-${process.pid}`
  const check = async (id: string) => (await inside(id, { argv: kind.health, env: {} })).exitCode

  /**
   * Runs the health check without its pauses of whole seconds. Returns the exit code and the pauses that it made, in
   * seconds and in order.
   */
  async function checkWithoutPauses(id: string) {
    const { exitCode, stdout } = await inside(id, {
      argv: ['sh', '-c', withoutPauses, 'check', ...kind.health],
      env: {},
    })
    return { exitCode, pauses: stdout.trim() }
  }

  /** Starts a container and returns its id. The image replaces the argument `--`. */
  async function start(version: string, ...argv: string[]): Promise<string> {
    const runArguments = argv.toSpliced(argv.indexOf('--'), 1, `${image}:${version}`)
    return (await docker('run', '--detach', '--label', label, ...runArguments))[0]!
  }

  /** Starts a server without waiting for it. `options` has the entry point's arguments after `--`. */
  async function begin(version: string, settings: Credentials, ...options: string[]): Promise<Server> {
    const env = Object.entries(kind.env(settings)).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    return serverOf(await start(version, ...env, ...options))
  }

  /** Reads the current address of a container. A restart can change it. */
  async function serverOf(id: string): Promise<Server> {
    const [host] = await docker('inspect', '--format', '{{.NetworkSettings.Networks.bridge.IPAddress}}', id)
    return { id, address: { host: host!, port: kind.port } }
  }

  /** Kills and removes a container with its anonymous volumes. */
  const remove = ({ id }: Pick<Server, 'id'>) => docker('rm', '--force', '--volumes', id)

  const healthy = (id: string) => until('the server to be healthy', async () => (await check(id)) === 0, 120_000)

  async function startServer(version: string, settings: Credentials, ...options: string[]): Promise<Server> {
    const server = await begin(version, settings, ...options)
    await healthy(server.id)
    return server
  }

  async function removeAll() {
    const containers = await docker('ps', '--all', '--quiet', '--filter', `label=${label}`)
    if (containers.length > 0) await docker('rm', '--force', '--volumes', ...containers)
    const volumes = await docker('volume', 'ls', '--quiet', '--filter', `label=${label}`)
    if (volumes.length > 0) await docker('volume', 'rm', ...volumes)
  }

  return {
    label,
    start,
    begin,
    serverOf,
    healthy,
    startServer,
    check,
    checkWithoutPauses,
    remove,
    removeAll,
    ready: ({ id, address }: Server, settings: Credentials, image = {}) =>
      runWithRetries(id, kind.ready(settings, address), image),
    rotate: ({ id, address }: Server, from: Credentials, to: Credentials, image = {}) =>
      runWithRetries(id, kind.rotate(from, to, address, null), image),
    save: ({ id, address }: Server, settings: Credentials) => runWithRetries(id, kind.save!(settings, address), {}),
    urlOf: ({ address }: Server, settings: Credentials) => kind.url(settings, address),
  }
}

export interface Result {
  exitCode: number
  stdout: Buffer
  stderr: string
}

/** Runs a backup program as the engine runs jobs: in its own container, without entry point and capabilities. */
export async function job(
  image: string,
  { argv, env, files = [] }: Program,
  input: Buffer = Buffer.alloc(0),
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-job-'))
  try {
    const mounts = files.flatMap(({ path, content, mode }, index) => {
      const source = join(folder, String(index))
      writeFileSync(source, content)
      chmodSync(source, mode)
      return ['--volume', `${source}:${path}:ro`]
    })
    const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const [tool, ...rest] = argv as [string, ...string[]]
    return await new Promise((resolve) => {
      const program = execFile(
        'docker',
        [
          '--host',
          dockerHost,
          'run',
          '--rm',
          '--interactive',
          '--cap-drop',
          'ALL',
          '--user',
          '0',
          ...variables,
          ...mounts,
          '--entrypoint',
          tool,
          image,
          ...rest,
        ],
        { encoding: 'buffer', maxBuffer: 1024 ** 3, timeout: 120_000 },
        (error, stdout, stderr) =>
          resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr: stderr.toString() }),
      )
      program.stdin!.on('error', () => undefined).end(input)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Begins a job in a container that can be killed by its name. `ended` resolves when it is gone. */
export function beginJob(name: string, image: string, { argv, env, files = [] }: Program, input: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-job-'))
  const mounts = files.flatMap(({ path, content, mode }, index) => {
    const source = join(folder, String(index))
    writeFileSync(source, content)
    chmodSync(source, mode)
    return ['--volume', `${source}:${path}:ro`]
  })
  const variables = Object.entries(env).flatMap(([variable, value]) => ['--env', `${variable}=${value}`])
  const [tool, ...rest] = argv as [string, ...string[]]
  const options = ['--rm', '--interactive', '--name', name, '--cap-drop', 'ALL', '--user', '0', '--entrypoint', tool]
  const docked = ['--host', dockerHost, 'run', ...options, ...variables, ...mounts, image, ...rest]
  const child = spawn('docker', docked, { stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.on('error', () => undefined).end(input)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { ended: ended.finally(() => rmSync(folder, { recursive: true })) }
}
