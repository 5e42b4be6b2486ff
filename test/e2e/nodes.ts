/**
 * Several simulated hosts on this machine, each with its own Docker engine, connected by a switch. Their names,
 * addresses and files belong to this process. This machine can reach their addresses, but does not resolve their names.
 * No host can reach the internet: each task would wait half a minute for the name of a registry.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../engine/until.ts'
import { copyImages, createHost, run, removeLeftovers } from './host.ts'
import { linkImages } from './linked-images.ts'
import { volumesWith } from './swarm.ts'

export interface Node {
  /** The host name, which is also the node's name in the swarm. */
  name: string
  address: string
  /** The URL of the engine's socket, as seen from this machine. */
  host: string
  /** Calls Docker's client with the node's engine. Returns the lines of its output. */
  docker(...argv: string[]): Promise<string[]>
  /** Returns the names that contain the text, of the volumes on the node. */
  volumes(text: string): Promise<string[]>
  /** Runs a command line without quotes, such as `docker swarm join ...`, on the node. */
  runCommandLine(line: string): Promise<void>
  /** Disconnects the node from the switch. */
  disconnect(): Promise<void>
  /** Connects the node to the switch again. */
  connect(): Promise<void>
  /** Makes the node open a new connection to its manager. The manager notices the end of the old connection later. */
  reconnect(): Promise<void>
  /** Simulates a power failure. */
  kill(): Promise<void>
  /** Starts the engine, after a power failure too. */
  start(): Promise<void>
}

export interface Nodes extends AsyncDisposable {
  nodes: Node[]
}

/** Starts one node for each list of images. The node has these images from the start. */
export async function startNodes(images: string[][]): Promise<Nodes> {
  await removeLeftovers()
  const folder = mkdtempSync(join(tmpdir(), `berth-nodes-${process.pid}-`))
  const prefix = `bt${process.pid}`
  const cleanups: Cleanup[] = []
  const close = async () => {
    const results = await Promise.allSettled(cleanups.toReversed().map((cleanUp) => cleanUp()))
    rmSync(folder, { recursive: true, force: true })
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
  try {
    const net = await createSwitch(prefix, cleanups)
    const starting = images.map((nodeImages, index) =>
      startNode({ prefix, net, folder, number: index + 1, images: nodeImages }, cleanups),
    )
    // If one fails, the others must have ended before the clean-up begins.
    await Promise.allSettled(starting)
    return { nodes: await Promise.all(starting), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

type Cleanup = () => Promise<unknown>

interface NodeOptions {
  prefix: string
  /** The first three parts of the address. */
  net: string
  folder: string
  /** Also the last part of the address. */
  number: number
  images: string[]
}

/** Creates the switch. Returns the first three parts of all addresses. This machine's address ends with 254. */
async function createSwitch(prefix: string, cleanups: Cleanup[]): Promise<string> {
  const net = freeNet()
  const [name, plug] = [`${prefix}sw`, `${prefix}r`]
  await run('ip', ['netns', 'add', name])
  cleanups.push(() => run('ip', ['netns', 'del', name]))
  const inSwitch = (...argv: string[]) => run('ip', ['-n', name, ...argv])
  await inSwitch('link', 'set', 'lo', 'up')
  await inSwitch('link', 'add', 'br0', 'type', 'bridge')
  await inSwitch('link', 'set', 'br0', 'up')
  await run('ip', ['link', 'add', plug, 'type', 'veth', 'peer', 'name', 'p0', 'netns', name])
  await inSwitch('link', 'set', 'p0', 'master', 'br0', 'up')
  await run('ip', ['addr', 'add', `${net}.254/24`, 'dev', plug])
  await run('ip', ['link', 'set', plug, 'up'])
  return net
}

/** The search begins at a number from the process id, so that concurrent processes take different networks. */
function freeNet(): string {
  const ownAddresses = Object.values(networkInterfaces()).flatMap((it = []) => it.map(({ address }) => address))
  for (let offset = 0; offset < 200; offset++) {
    const net = `10.77.${10 + ((process.pid + offset) % 200)}`
    if (!ownAddresses.some((address) => address.startsWith(`${net}.`))) return net
  }
  throw new Error('No network from 10.77.10.0/24 to 10.77.209.0/24 is free')
}

async function startNode(options: NodeOptions, cleanups: Cleanup[]): Promise<Node> {
  const { prefix, net, folder, number, images } = options
  const [namespace, name, address] = [`${prefix}n${number}`, `node${number}`, `${net}.${number}`]
  const [inSwitch, port] = [`${prefix}sw`, `p${number}`]
  await run('ip', ['netns', 'add', namespace])
  const engineHost = createHost(namespace, join(folder, name), name, ['--insecure-registry', `${net}.0/24`])
  cleanups.push(async () => {
    await engineHost.remove()
    await run('ip', ['netns', 'del', namespace])
  })
  const inNode = (...argv: string[]) => run('ip', ['-n', namespace, ...argv])
  await inNode('link', 'set', 'lo', 'up')
  await run('ip', ['-n', inSwitch, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace])
  await run('ip', ['-n', inSwitch, 'link', 'set', port, 'master', 'br0', 'up'])
  await inNode('addr', 'add', `${address}/24`, 'dev', 'eth0')
  await inNode('link', 'set', 'eth0', 'up')
  const areLinked = images.length === 0 || (await linkImages(images, engineHost.data))
  await engineHost.start()
  if (!areLinked) await copyImages(images, engineHost.host)
  const setPort = async (state: 'up' | 'down') => {
    await run('ip', ['-n', inSwitch, 'link', 'set', port, state])
  }
  return {
    name,
    address,
    host: engineHost.host,
    kill: engineHost.kill,
    start: engineHost.start,
    docker: async (...argv) => {
      const { stdout } = await run('docker', ['--host', engineHost.host, ...argv], { maxBuffer: 16 * 1024 * 1024 })
      return stdout.split('\n').filter((line) => line !== '')
    },
    volumes: (text) => volumesWith(engineHost.api, text),
    runCommandLine: async (line) => {
      const [program = '', ...argv] = line.trim().split(/\s+/)
      await run('nsenter', [`--net=/var/run/netns/${namespace}`, program, ...argv], {
        env: { ...process.env, DOCKER_HOST: engineHost.host },
      })
    },
    disconnect: () => setPort('down'),
    connect: () => setPort('up'),
    reconnect: () => reconnect((...argv) => run('nsenter', [`--net=/var/run/netns/${namespace}`, ...argv])),
  }
}

/** Drops the packets of the current connections to the manager until the engine has opened a new one. */
async function reconnect(inNode: (...argv: string[]) => Promise<{ stdout: string }>): Promise<void> {
  const localPorts = async () => {
    const { stdout } = await inNode('ss', '-Htn', 'dport', '=', ':2377')
    return [...stdout.matchAll(/:(\d+)\s+\S+:2377\s/g)].map(([, port]) => port!)
  }
  const oldPorts = await localPorts()
  const filter = async (action: '--insert' | '--delete') => {
    for (const port of oldPorts) {
      await inNode('iptables', '--wait', action, 'OUTPUT', '--protocol', 'tcp', '--sport', port, '--jump', 'DROP')
      await inNode('iptables', '--wait', action, 'INPUT', '--protocol', 'tcp', '--dport', port, '--jump', 'DROP')
    }
  }
  await filter('--insert')
  await until('a new connection', async () => (await localPorts()).some((it) => !oldPorts.includes(it)), 30_000)
  // The node makes its first calls over the new connection.
  await pause(2000)
  await filter('--delete')
  const hasOldConnection = async () => (await localPorts()).some((it) => oldPorts.includes(it))
  await until('the old connection to end', async () => !(await hasOldConnection()), 30_000)
}
