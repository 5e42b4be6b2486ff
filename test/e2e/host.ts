/**
 * A host of the test's own that runs a Docker engine: a network namespace that the caller made, and namespaces of
 * mounts, processes and names that end with it, so that it can lose its power and leaves nothing. Root alone can.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../engine/until.ts'
import { dockerHost } from './swarm.ts'

export const run = promisify(execFile)

export type Host = ReturnType<typeof hostIn>

/** `namespace` names the network namespace; `hostname` names the host too. `folder` is the host's alone. */
export function hostIn(namespace: string, folder: string, hostname: string, options: string[] = []) {
  const host = `unix://${join(folder, 'docker.sock')}`
  const data = join(folder, 'data')
  const controlGroup = `berth-${process.pid}-${hostname}`
  let engine: ChildProcess | null = null
  mkdirSync(folder, { recursive: true })
  return { host, data, start, kill, remove }

  /** Its engine listens where every host's does too, as seen from the host itself. */
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
    // Not `ip netns exec`, which would mount /sys anew and hide the control groups. It ends with this process too.
    const unshare = ['unshare', '--mount', '--uts', '--pid', '--fork', '--kill-child', '--mount-proc']
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
        run('docker', ['--host', host, 'version']).then(
          () => true,
          () => false,
        ),
      60_000,
    )
  }

  /** As a loss of power would: with the engine, all that runs on the host. */
  async function kill() {
    if (engine === null || engine.exitCode !== null || engine.signalCode !== null) return
    const gone = once(engine, 'exit')
    engine.kill('SIGKILL')
    await gone
    rmSync(join(folder, 'docker.sock'), { force: true })
  }

  async function remove() {
    await kill()
    // What the kernel still ends holds its files for a moment.
    await until(`the files of ${hostname} to go`, async () => {
      try {
        rmSync(folder, { recursive: true, force: true })
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EBUSY') return false
        throw error
      }
    })
    await until(`the control groups of ${hostname} to go`, async () => removeControlGroups(controlGroup))
  }
}

/** An engine that lost its power leaves those of its containers behind, empty. */
function removeControlGroups(name: string): boolean {
  return hierarchies()
    .map((it) => join(it, name))
    .filter((it) => existsSync(it))
    .every(removeTree)
}

/** What processes left that were killed: their engines ended with them. Another one may sweep at the same time. */
export async function sweep(): Promise<void> {
  const namespaces = (await run('ip', ['netns', 'list'])).stdout.split('\n').map((line) => line.split(' ')[0] ?? '')
  for (const name of namespaces.filter((it) => isGone(namespaceOf.exec(it)?.slice(1).join('')))) {
    await run('ip', ['netns', 'del', name]).catch((error: unknown) => {
      if (existsSync(join('/var/run/netns', name))) throw error
    })
  }
  for (const name of readdirSync(tmpdir())) {
    if (isGone(/^berth-(?:nodes|engine)-(\d+)-/.exec(name)?.[1])) {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    }
  }
  sweepControlGroups()
}

const namespaceOf = /^(?:bt(\d+)(?:sw|n\d+)|berth-(\d+))$/

function sweepControlGroups(): void {
  const left = hierarchies()
    .flatMap((it) => readdirSync(it))
    .filter((name) => controlGroupOf.test(name))
  for (const name of new Set(left)) if (isGone(controlGroupOf.exec(name)?.[1])) removeControlGroups(name)
}

const controlGroupOf = /^berth-(\d+)-[\w-]+$/

/** Whether there was such a process, and is none any more. */
const isGone = (pid: string | undefined) => pid !== undefined && !existsSync(`/proc/${pid}`)

/** One in version 2, several in version 1. */
function hierarchies(): string[] {
  const root = '/sys/fs/cgroup'
  const folders = readdirSync(root, { withFileTypes: true }).filter((it) => it.isDirectory())
  return [root, ...folders.map((it) => join(root, it.name))]
}

function removeTree(folder: string): boolean {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((it) => it.isDirectory())
    if (!below.every(({ name }) => removeTree(join(folder, name)))) return false
    rmdirSync(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EBUSY') return false
    if (code === 'ENOENT') return true
    throw error
  }
}

/** From the machine's engine to the host's. */
export async function copyImages(images: string[], host: string) {
  const save = spawn('docker', ['--host', dockerHost, 'save', ...images], { stdio: ['ignore', 'pipe', 'inherit'] })
  const load = spawn('docker', ['--host', host, 'load'], { stdio: [save.stdout, 'ignore', 'inherit'] })
  const [[saved], [loaded]] = await Promise.all([once(save, 'exit'), once(load, 'exit')])
  if (saved !== 0 || loaded !== 0) throw new Error(`docker save ended with ${saved}, docker load with ${loaded}`)
}

/**
 * What one engine has loaded, for another that has not begun: no file of a layer ever changes, so both have the same
 * ones, and nothing is read. Gives false where the engine keeps its images in another way.
 */
export async function shareImages(from: Host, to: Host): Promise<boolean> {
  const [layers, image] = [join(from.data, 'overlay2'), join(from.data, 'image')]
  if (!existsSync(layers) || !existsSync(join(image, 'overlay2', 'repositories.json'))) return false
  mkdirSync(to.data)
  await run('cp', ['--archive', '--link', layers, to.data])
  await run('cp', ['--archive', image, to.data])
  return true
}
