/**
 * An engine of the test's own, in a network namespace, that can be killed and started again without harm to anybody:
 * its socket, data and network are its own. Images are copied from the machine's engine.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../engine/until.ts'
import { dockerHost } from './swarm.ts'

const run = promisify(execFile)

export async function ownEngine(folder: string, images: string[]) {
  const name = `berth-${process.pid}`
  const socket = join(folder, 'docker.sock')
  const host = `unix://${socket}`
  let engine: ChildProcess | null = null
  await makeNamespace(name)
  await start()
  await copyImages(images, host)
  return { host, start, kill, remove }

  async function start() {
    const log = openSync(join(folder, 'log'), 'a')
    const paths =
      ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')]
    // Only the network is another: a namespace of mounts would hide the control groups.
    const argv = [`--net=/var/run/netns/${name}`, 'dockerd', '--host', host, '--bip', '172.31.240.1/24', ...paths]
    engine = spawn('nsenter', argv, { stdio: ['ignore', log, log] })
    closeSync(log)
    await until('the engine to answer',
      () => run('docker', ['--host', host, 'version']).then(() => true, () => false), 60_000)
  }

  /** As a crash would, and with it the containers: their shims outlive it otherwise. */
  async function kill() {
    if (engine === null || engine.exitCode !== null || engine.signalCode !== null) return
    const gone = once(engine, 'exit')
    engine.kill('SIGKILL')
    await gone
    await endContainerd(folder)
    rmSync(join(folder, 'pid'), { force: true })
  }

  /** Stops it properly, so that it unmounts what it mounted. */
  async function remove() {
    if (engine !== null && (engine.exitCode !== null || engine.signalCode !== null)) await start()
    const gone = once(engine!, 'exit')
    engine!.kill('SIGTERM')
    await gone
    await run('ip', ['netns', 'del', name])
    await unmountBelow(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** With loopback and an address of its own, and no way out: a pull then fails at once. */
async function makeNamespace(name: string) {
  await run('ip', ['netns', 'add', name])
  await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  await run('ip', ['-n', name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'peer0'])
  await run('ip', ['-n', name, 'addr', 'add', '10.77.9.1/24', 'dev', 'eth0'])
  for (const device of ['eth0', 'peer0']) await run('ip', ['-n', name, 'link', 'set', device, 'up'])
}

/** containerd belongs to the engine that was killed; the next one starts its own. */
async function endContainerd(folder: string) {
  const path = join(folder, 'exec/containerd/containerd.pid')
  if (!existsSync(path)) return
  const pid = Number(readFileSync(path, 'utf8'))
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It may have ended with its engine.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  await until('containerd to end', async () => !existsSync(`/proc/${pid}`))
}

async function copyImages(images: string[], host: string) {
  const save = spawn('docker', ['--host', dockerHost, 'save', ...images], { stdio: ['ignore', 'pipe', 'inherit'] })
  const load = spawn('docker', ['--host', host, 'load'], { stdio: [save.stdout, 'ignore', 'inherit'] })
  const [code] = await once(load, 'exit') as [number]
  if (code !== 0) throw new Error(`docker load ended with ${code}`)
}

/** What the engine that was killed had mounted, the innermost first. */
async function unmountBelow(folder: string) {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n').map((line) => line.split(' ')[1] ?? '')
  for (const path of mounts.filter((it) => it.startsWith(folder)).reverse()) await run('umount', ['--lazy', path])
}
