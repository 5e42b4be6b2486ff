/**
 * Several hosts on this machine, each with a Docker engine of its own, joined by a switch: their names, addresses and
 * files are this process's own. This machine itself is reached by none of their names, but reaches their addresses.
 * No host has a way out, or each task would wait half a minute for the name of a registry.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../engine/until.ts'
import { copyImages, type Host, hostIn, run, shareImages, sweep } from './host.ts'

export interface Node {
  /** Host name, and how the swarm knows it. */
  name: string
  address: string
  /** Of its engine, as seen from this machine. */
  host: string
  /** The engine's own client, as its operator would call it on the node: gives what it prints, line by line. */
  docker(...argv: string[]): Promise<string[]>
  /** Runs a command line as it is pasted: words between spaces, `docker swarm join ...`. */
  paste(line: string): Promise<void>
  /** Takes its plug out of the switch, and puts it in again. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Makes it connect to its manager anew, which hears of the end of the connection before only afterwards. */
  reconnect(): Promise<void>
  /** As a loss of power, and its end. */
  kill(): Promise<void>
  start(): Promise<void>
}

export interface Nodes extends AsyncDisposable {
  nodes: Node[]
}

/** One node for each list: of images that it has from the start. */
export async function startNodes(images: string[][]): Promise<Nodes> {
  await sweep()
  const folder = mkdtempSync(join(tmpdir(), `berth-nodes-${process.pid}-`))
  const prefix = `bt${process.pid}`
  const ends: (() => Promise<unknown>)[] = []
  const close = async () => {
    const results = await Promise.allSettled(ends.toReversed().map((end) => end()))
    rmSync(folder, { recursive: true, force: true })
    for (const it of results) if (it.status === 'rejected') throw it.reason
  }
  try {
    const net = await makeSwitch(prefix, ends)
    // The first one that has a set of images loads it.
    const loading = new Map<string, Promise<Made>>()
    const made = images.map((ofNode, at) => {
      const like = loading.get(ofNode.join(' '))
      const one = makeNode({ prefix, net, folder, number: at + 1, images: ofNode, like }, ends)
      if (like === undefined) loading.set(ofNode.join(' '), one)
      return one
    })
    // None of them goes on when one has failed.
    await Promise.allSettled(made)
    return { nodes: (await Promise.all(made)).map(({ node }) => node), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

interface NodeOptions {
  prefix: string
  net: string
  folder: string
  number: number
  images: string[]
  /** One that has the same images. */
  like: Promise<Made> | undefined
}

interface Made {
  node: Node
  it: Host
}

/** Gives the first three parts of all addresses: this machine has the last one of them. */
async function makeSwitch(prefix: string, ends: (() => Promise<unknown>)[]): Promise<string> {
  const net = freeNet()
  const [name, plug] = [`${prefix}sw`, `${prefix}r`]
  await run('ip', ['netns', 'add', name])
  ends.push(() => run('ip', ['netns', 'del', name]))
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

/** Two processes that ask at the same time have different numbers. */
function freeNet(): string {
  const own = Object.values(networkInterfaces()).flatMap((it = []) => it.map(({ address }) => address))
  for (let at = 0; at < 200; at++) {
    const net = `10.77.${10 + ((process.pid + at) % 200)}`
    if (!own.some((address) => address.startsWith(`${net}.`))) return net
  }
  throw new Error('No network from 10.77.10.0/24 to 10.77.209.0/24 is free')
}

async function makeNode(place: NodeOptions, ends: (() => Promise<unknown>)[]): Promise<Made> {
  const { prefix, net, folder, number, images, like } = place
  const [namespace, name, address] = [`${prefix}n${number}`, `node${number}`, `${net}.${number}`]
  const [inSwitch, port] = [`${prefix}sw`, `p${number}`]
  await run('ip', ['netns', 'add', namespace])
  const it: Host = hostIn(namespace, join(folder, name), name, ['--insecure-registry', `${net}.0/24`])
  ends.push(async () => {
    await it.remove()
    await run('ip', ['netns', 'del', namespace])
  })
  const inNode = (...argv: string[]) => run('ip', ['-n', namespace, ...argv])
  await inNode('link', 'set', 'lo', 'up')
  await run('ip', ['-n', inSwitch, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace])
  await run('ip', ['-n', inSwitch, 'link', 'set', port, 'master', 'br0', 'up'])
  await inNode('addr', 'add', `${address}/24`, 'dev', 'eth0')
  await inNode('link', 'set', 'eth0', 'up')
  const isShared = like !== undefined && (await shareImages((await like).it, it))
  await it.start()
  if (!isShared && images.length > 0) await copyImages(images, it.host)
  const plug = async (state: 'up' | 'down') => {
    await run('ip', ['-n', inSwitch, 'link', 'set', port, state])
  }
  const node: Node = {
    name,
    address,
    host: it.host,
    kill: it.kill,
    start: it.start,
    docker: async (...argv) => {
      const { stdout } = await run('docker', ['--host', it.host, ...argv], { maxBuffer: 16 * 1024 * 1024 })
      return stdout.split('\n').filter((line) => line !== '')
    },
    paste: async (line) => {
      const [program = '', ...argv] = line.trim().split(/\s+/)
      await run('nsenter', [`--net=/var/run/netns/${namespace}`, program, ...argv], {
        env: { ...process.env, DOCKER_HOST: it.host },
      })
    },
    cut: () => plug('down'),
    mend: () => plug('up'),
    reconnect: () => reconnect((...argv) => run('nsenter', [`--net=/var/run/netns/${namespace}`, ...argv])),
  }
  return { node, it }
}

async function reconnect(inNode: (...argv: string[]) => Promise<{ stdout: string }>): Promise<void> {
  const ports = async () => {
    const { stdout } = await inNode('ss', '-Htn', 'dport', '=', ':2377')
    return [...stdout.matchAll(/:(\d+)\s+\S+:2377\s/g)].map(([, port]) => port!)
  }
  const old = await ports()
  const filter = async (action: '--insert' | '--delete') => {
    for (const port of old) {
      await inNode('iptables', '--wait', action, 'OUTPUT', '--protocol', 'tcp', '--sport', port, '--jump', 'DROP')
      await inNode('iptables', '--wait', action, 'INPUT', '--protocol', 'tcp', '--dport', port, '--jump', 'DROP')
    }
  }
  await filter('--insert')
  await until('another connection', async () => (await ports()).some((it) => !old.includes(it)), 30_000)
  // For its first calls.
  await pause(2000)
  await filter('--delete')
  await until('the end of the one before', async () => !(await ports()).some((it) => old.includes(it)), 30_000)
}
