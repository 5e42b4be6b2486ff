/** The settings: environment -> Config, parsed once, all faults named at once. */
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'

export interface Config {
  /** Absolute path of the folder with the store and the keys. */
  dataFolder: string
  host: string
  port: number
  /** From BERTH_ACCESS_TOKEN; null: made at the first start, in <data>/access-token. */
  accessToken: string | null
  /** 32 bytes from BERTH_MASTER_KEY; null: made at the first start, in <data>/master.key. */
  masterKey: Buffer | null
  /** From BERTH_NEW_MASTER_KEY: what `berth key rotate` puts in the place of BERTH_MASTER_KEY. */
  newMasterKey: Buffer | null
  /** unix:///path or tcp://host:port. */
  dockerHost: string
  /** Documented default images that no registry has, and what stands for them. */
  imageAliases: ReadonlyMap<string, string>
  /** The proxy that gateways run. */
  gatewayImage: string
  /** The attachable overlay network of Berth. */
  networkName: string
  /** Address that other nodes and clients reach this host by; null: the engine's own choice. */
  advertiseAddress: string | null
  /** Name or address in external URLs; null: the node's address. */
  publicHost: string | null
}

const accessToken = z.string().min(32, 'must have at least 32 characters; leave it out and Berth makes one')
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')

const masterKey = z.string().transform((text, context) => {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length === 32) return key
  context.addIssue({ code: 'custom', message: 'must be 32 bytes in base64 or hexadecimal (openssl rand -base64 32)' })
  return z.NEVER
})

const environment = z.object({
  BERTH_DATA: z.string().min(1, 'must be a folder').default(join(homedir(), '.berth'))
    .transform((path) => (isAbsolute(path) ? path : resolve(path))),
  BERTH_HOST: z
    .union([z.ipv4(), z.ipv6(), z.literal('localhost')], 'must be an address of this machine, like 127.0.0.1')
    .default('127.0.0.1'),
  BERTH_PORT: z.string().regex(/^\d{1,5}$/, 'must be a whole number from 1 to 65535').transform(Number)
    .refine((port) => port >= 1 && port <= 65535, 'must be a whole number from 1 to 65535').default(3000),
  BERTH_ACCESS_TOKEN: accessToken.optional(),
  BERTH_MASTER_KEY: masterKey.optional(),
  BERTH_NEW_MASTER_KEY: masterKey.optional(),
  DOCKER_HOST: z.string().regex(/^(unix:\/\/\/.+|tcp:\/\/[^/:]+:\d{1,5}\/?)$/,
    'must be like unix:///var/run/docker.sock or tcp://10.0.0.5:2375').default('unix:///var/run/docker.sock'),
  BERTH_NETWORK: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be a network name').default('berth'),
  BERTH_GATEWAY_IMAGE: z.string().min(1).default('haproxy:3.0'),
  BERTH_ADVERTISE_ADDR: z.union([z.ipv4(), z.ipv6()], 'must be an address of this machine').optional(),
  BERTH_PUBLIC_HOST: z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, 'must be a host name or an address').optional(),
})

/** Throws an Error with one line for each setting that is wrong; no value is shown, for some are secrets. */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  // A setting that is there but empty is taken as left out, as shells and unit files write it.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`)
    throw new Error(`These settings are wrong:\n${lines.join('\n')}`)
  }
  const it = parsed.data
  return {
    dataFolder: it.BERTH_DATA,
    host: it.BERTH_HOST,
    port: it.BERTH_PORT,
    accessToken: it.BERTH_ACCESS_TOKEN ?? null,
    masterKey: it.BERTH_MASTER_KEY ?? null,
    newMasterKey: it.BERTH_NEW_MASTER_KEY ?? null,
    dockerHost: it.DOCKER_HOST,
    imageAliases: new Map([['mariadb:6', 'mariadb:11'], ['mongo:15', 'mongo:8']]),
    gatewayImage: it.BERTH_GATEWAY_IMAGE,
    networkName: it.BERTH_NETWORK,
    advertiseAddress: it.BERTH_ADVERTISE_ADDR ?? null,
    publicHost: it.BERTH_PUBLIC_HOST ?? null,
  }
}
