/**
 * A kind's programs inside real containers: one container each, its address on the bridge, and what the kind says to
 * run in it. Knows nothing of the swarm and of Berth's loops.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Program } from '../../src/kinds/backup.ts'
import type { Exec } from '../../src/engine/exec.ts'
import type { Address, Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import { docker, dockerHost } from './swarm.ts'

export interface Server {
  id: string
  address: Address
}
export interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
}

export const done: Outcome = { exitCode: 0, stdout: '', stderr: '' }

/** As the engine runs a kind's programs; `image` stands for variables that the image itself may have set. */
export async function inside(id: string, { argv, env, stdin = '' }: Exec, image = {}): Promise<Outcome> {
  const variables = Object.entries({ ...image, ...env }).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  return new Promise((resolve) => {
    const program = execFile(
      'docker',
      ['--host', dockerHost, 'exec', '--interactive', ...variables, id, ...argv],
      (error, stdout, stderr) => resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
    program.stdin!.on('error', () => undefined).end(stdin)
  })
}

/**
 * Asked again while it stays out for want of time, as Berth's loops do: how quick a machine is, is not what these tests
 * are about.
 */
async function answered(id: string, exec: Exec, image: object): Promise<Outcome> {
  for (let left = 5; ; left--) {
    const outcome = await inside(id, exec, image)
    if (left === 0 || !outcome.stderr.startsWith('no answer within ')) return outcome
  }
}

export const shell = (id: string, line: string, stdin = '') => inside(id, { argv: ['sh', '-c', line], env: {}, stdin })

export async function logOf(id: string): Promise<string> {
  return new Promise((resolve, reject) =>
    execFile('docker', ['--host', dockerHost, 'logs', id], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      error ? reject(error) : resolve(`${stdout}\n${stderr}`),
    ),
  )
}

/** Containers of one kind's images, and its programs in them. */
export function containersOf<Credentials extends Record<string, unknown>>(kind: Kind, image: string) {
  const label = `berth-test-kind=${kind.name}-${process.pid}`
  const check = async (id: string) => (await inside(id, { argv: kind.health, env: {} })).exitCode

  /** `--` stands for the image. */
  async function start(version: string, ...argv: string[]): Promise<string> {
    const words = argv.toSpliced(argv.indexOf('--'), 1, `${image}:${version}`)
    return (await docker('run', '--detach', '--label', label, ...words))[0]!
  }

  /** With the entry point's arguments after `--`; not waited for. */
  async function begin(version: string, settings: Credentials, ...options: string[]): Promise<Server> {
    const env = Object.entries(kind.env(settings)).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    return serverOf(await start(version, ...env, ...options))
  }

  /** Where it is now: its address may be another after it was started again. */
  async function serverOf(id: string): Promise<Server> {
    const [host] = await docker('inspect', '--format', '{{.NetworkSettings.Networks.bridge.IPAddress}}', id)
    return { id, address: { host: host!, port: kind.port } }
  }

  /** At once, with what it has written. */
  const remove = ({ id }: Pick<Server, 'id'>) => docker('rm', '--force', '--volumes', id)

  const healthy = (id: string) => until('the server to be healthy', async () => (await check(id)) === 0, 120_000)

  async function startServer(version: string, settings: Credentials, ...options: string[]): Promise<Server> {
    const server = await begin(version, settings, ...options)
    await healthy(server.id)
    return server
  }

  async function removeAll() {
    const left = await docker('ps', '--all', '--quiet', '--filter', `label=${label}`)
    if (left.length > 0) await docker('rm', '--force', '--volumes', ...left)
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
    remove,
    removeAll,
    ready: ({ id, address }: Server, settings: Credentials, image = {}) =>
      answered(id, kind.ready(settings, address), image),
    rotate: ({ id, address }: Server, from: Credentials, to: Credentials, image = {}) =>
      answered(id, kind.rotate(from, to, address), image),
    urlOf: ({ address }: Server, settings: Credentials) => kind.url(settings, address),
  }
}

export interface Result {
  exitCode: number
  stdout: Buffer
  stderr: string
}

/** Runs a backup's program as a job of the engine: a container of its own, without entry point and capabilities. */
export async function job(
  image: string,
  { argv, env, files = [] }: Program,
  input: Buffer = Buffer.alloc(0),
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-job-'))
  try {
    const mounts = files.flatMap(({ path, content, mode }, index) => {
      writeFileSync(join(folder, String(index)), content, { mode })
      return ['--volume', `${join(folder, String(index))}:${path}:ro`]
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
