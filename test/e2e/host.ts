/**
 * A simulated host with its own Docker engine. The host consists of a network namespace, which the caller creates, and
 * of mount, process and host name namespaces, which end with the host's engine. So a test can simulate a power failure,
 * and nothing stays behind. Needs root.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dockerClient } from '../../src/engine/docker/transport/client.ts'
import { until } from '../engine/until.ts'
import { dockerHost } from './swarm.ts'

export const run = promisify(execFile)

export type Host = ReturnType<typeof createHost>

/**
 * @param namespace the name of the network namespace
 * @param folder a folder that only this host uses
 * @param hostname also part of the name of the host's control group
 * @param options further arguments of dockerd
 */
export function createHost(namespace: string, folder: string, hostname: string, options: string[] = []) {
  const host = `unix://${join(folder, 'docker.sock')}`
  const api = dockerClient(host, null, 60_000)
  const data = join(folder, 'data')
  const controlGroup = `berth-${process.pid}-${hostname}`
  let engine: ChildProcess | null = null
  mkdirSync(folder, { recursive: true })
  return { host, api, data, start, kill, remove }

  /** Starts the engine. It also listens on Docker's default socket, as seen from the host itself. */
  async function start() {
    const log = openSync(join(folder, 'log'), 'a')
    const paths = ['--data-root', data, '--exec-root', '/run/docker', '--pidfile', '/run/docker.pid']
    const dockerd = [
      'dockerd',
      '--host',
      host,
      '--host',
      'unix:///var/run/docker.sock',
      ...paths,
      '--bip',
      '172.31.240.1/24',
      '--cgroup-parent',
      `/${controlGroup}`,
      ...options,
    ]
    const prepare = 'hostname "$1"; mount -t tmpfs tmpfs /run; shift; exec docker-init -- "$@"'
    // `ip netns exec` would mount a new /sys, which hides the control groups.
    const unshare = ['unshare', '--mount', '--uts', '--pid', '--fork', '--kill-child', '--mount-proc']
    // setpriv ends the engine when this process ends.
    const argv = [
      '--pdeathsig',
      'KILL',
      'nsenter',
      `--net=/var/run/netns/${namespace}`,
      ...unshare,
      'sh',
      '-c',
      prepare,
      'sh',
      hostname,
      ...dockerd,
    ]
    engine = spawn('setpriv', argv, { stdio: ['ignore', log, log] })
    closeSync(log)
    await until(
      `the engine of ${hostname} to answer`,
      () =>
        api.bytes({ path: '/_ping' }).then(
          () => true,
          () => false,
        ),
      60_000,
    )
  }

  /** Kills the engine and everything that runs on the host, as a power failure would. */
  async function kill() {
    if (engine === null || engine.exitCode !== null || engine.signalCode !== null) return
    const exit = once(engine, 'exit')
    engine.kill('SIGKILL')
    await exit
    rmSync(join(folder, 'docker.sock'), { force: true })
  }

  async function remove() {
    await kill()
    // Processes that the kernel is still ending keep their files open for a moment.
    await until(`the files of ${hostname} to be removed`, async () => {
      try {
        rmSync(folder, { recursive: true, force: true })
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EBUSY') return false
        throw error
      }
    })
    await until(`the control groups of ${hostname} to be removed`, async () => removeControlGroups(controlGroup))
  }
}

/**
 * Removes the control groups of one host. A killed engine leaves the empty control groups of its containers behind.
 * Returns whether all are removed.
 */
function removeControlGroups(name: string): boolean {
  return hierarchies()
    .map((it) => join(it, name))
    .filter((it) => existsSync(it))
    .every(removeTree)
}

/**
 * Removes the namespaces, folders and control groups that killed test processes left behind. Several processes may do
 * this at the same time.
 */
export async function removeLeftovers(): Promise<void> {
  const namespaces = (await run('ip', ['netns', 'list'])).stdout.split('\n').map((line) => line.split(' ')[0] ?? '')
  for (const name of namespaces.filter((it) => hasEnded(namespacePattern.exec(it)?.slice(1).join('')))) {
    await run('ip', ['netns', 'del', name]).catch((error: unknown) => {
      if (existsSync(join('/var/run/netns', name))) throw error
    })
  }
  for (const name of readdirSync(tmpdir())) {
    if (hasEnded(/^berth-(?:nodes|engine)-(\d+)-/.exec(name)?.[1])) {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    }
  }
  removeLeftControlGroups()
}

/** Matches the two forms of names. The process id is in one of the two groups. */
const namespacePattern = /^(?:bt(\d+)(?:sw|n\d+)|berth-(\d+))$/

function removeLeftControlGroups(): void {
  const left = hierarchies()
    .flatMap((it) => readdirSync(it))
    .filter((name) => controlGroupPattern.test(name))
  for (const name of new Set(left)) if (hasEnded(controlGroupPattern.exec(name)?.[1])) removeControlGroups(name)
}

const controlGroupPattern = /^berth-(\d+)-[\w-]+$/

/** Whether this process has ended. False if no process id is given. */
const hasEnded = (pid: string | undefined) => pid !== undefined && !existsSync(`/proc/${pid}`)

/** The folders where control groups are: one in version 2 of control groups, several in version 1. */
function hierarchies(): string[] {
  const root = '/sys/fs/cgroup'
  const folders = readdirSync(root, { withFileTypes: true }).filter((it) => it.isDirectory())
  return [root, ...folders.map((it) => join(root, it.name))]
}

/** Removes a control group and those below it. Returns false if the kernel still uses one of them. */
function removeTree(folder: string): boolean {
  try {
    const subfolders = readdirSync(folder, { withFileTypes: true }).filter((it) => it.isDirectory())
    if (!subfolders.every(({ name }) => removeTree(join(folder, name)))) return false
    rmdirSync(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EBUSY') return false
    if (code === 'ENOENT') return true
    throw error
  }
}

/** Copies images from the machine's engine to the host's engine. */
export async function copyImages(images: string[], host: string) {
  const save = spawn('docker', ['--host', dockerHost, 'save', ...images], { stdio: ['ignore', 'pipe', 'inherit'] })
  const load = spawn('docker', ['--host', host, 'load'], { stdio: [save.stdout, 'ignore', 'inherit'] })
  const [[saved], [loaded]] = await Promise.all([once(save, 'exit'), once(load, 'exit')])
  if (saved !== 0 || loaded !== 0) throw new Error(`docker save ended with ${saved}, docker load with ${loaded}`)
}
