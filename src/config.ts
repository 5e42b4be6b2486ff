/** The settings of Berth, parsed from environment variables. One error names all invalid settings. */
import { availableParallelism, homedir, hostname } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { type Egress, egressOf } from './lib/net/egress.ts'
import { type Network, networksOf, plainNetwork } from './lib/net/networks.ts'
import { proxiesOf, type ProxySettings, proxyUrlOf } from './lib/net/outgoing-proxy.ts'

export interface Config {
  /** Absolute path of the folder with the store and the keys. */
  dataFolder: string
  host: string
  port: number
  /** The names by which browsers may reach Berth, in lower case: of this machine, BERTH_PUBLIC_HOST and BERTH_HOSTS. */
  hostNames: ReadonlySet<string>
  /** The reverse proxies in front of Berth, whose X-Forwarded-For and X-Forwarded-Proto count. */
  trustedProxies: readonly Network[]
  /** BERTH_ACCESS_TOKEN. Null: Berth generates the token at the first start, in <data>/access-token. */
  accessToken: string | null
  /** 32 bytes from BERTH_MASTER_KEY. Null: Berth generates the key at the first start, in <data>/master.key. */
  masterKey: Buffer | null
  /** 32 bytes from BERTH_NEW_MASTER_KEY. `berth key rotate` replaces the master key by this key. Null: not set. */
  newMasterKey: Buffer | null
  /** unix:///path or tcp://host:port. */
  dockerHost: string
  /** Documented default images that exist in no registry, each with the image that replaces it. */
  imageAliases: ReadonlyMap<string, string>
  /** The image of the TCP proxy in gateways. */
  gatewayImage: string
  /** The image of the UDP proxy in gateways. */
  udpGatewayImage: string
  /** How the proxy of applications runs: as a service of the swarm, as a process of this host, or not at all. */
  proxy: 'service' | 'process' | 'off'
  proxyImage: string
  /** The image of the registry that registry.enableSelfHostedRegistry runs. */
  registryImage: string
  proxyHttpPort: number
  proxyHttpsPort: number
  acme: {
    /** The directory URL of the certificate authority. */
    directory: string
    /** Contact e-mail of the ACME account; null: none. */
    email: string | null
    /** Absolute path of a PEM file with root certificates for the directory's server; null: those of the system. */
    rootsFile: string | null
  }
  /** Limits of backup runs. See backups/loop.ts. */
  backups: {
    /** Maximum number of concurrent runs on each node and for each destination. */
    concurrency: number
    /** A run fails if its tool neither reads nor writes a byte for this time. */
    idleMs: number
    /** Maximum duration of one attempt at a run. The time starts again if Berth restarts. */
    totalMs: number
  }
  /** Name of Berth's attachable overlay network. */
  networkName: string
  /** Address of this host that other nodes and clients connect to; null: the engine chooses. */
  advertiseAddress: string | null
  /** Host name or address in external URLs; null: the node's address. */
  publicHost: string | null
  /** Retention of safety dumps in days. A safety dump holds the data that a restore replaced. */
  safetyDumpDays: number
  /** The addresses that requests to storages, registries and a signalUrl may reach. */
  egress: Egress
  /** The proxies of these requests. */
  proxySettings: ProxySettings
}

const accessToken = z
  .string()
  .min(32, 'must have at least 32 characters. If it is unset, Berth generates a token')
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')

const masterKey = z.string().transform((text, context) => {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length === 32) return key
  context.addIssue({ code: 'custom', message: 'must be 32 bytes in base64 or hexadecimal (openssl rand -base64 32)' })
  return z.NEVER
})

const portMessage = 'must be a whole number from 1 to 65535'
const port = z
  .string()
  .regex(/^\d{1,5}$/, portMessage)
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65535, portMessage)

/** A whole number from 1 to `max`. */
const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((number) => number >= 1 && number <= max, `must be from 1 to ${max}`)

const daySeconds = 24 * 3600

const networks = z.string().transform((text, context) => {
  const parsed = networksOf(text)
  if (parsed !== null) return parsed
  context.addIssue({
    code: 'custom',
    message: 'must be addresses or networks separated by commas, like 192.0.2.7,2001:db8::/32',
  })
  return z.NEVER
})

/** A network of all addresses is refused: then everybody could choose the address that Berth counts. */
const trustedProxies = networks
  .transform((list) => list.map(plainNetwork))
  .refine((list) => list.every(({ prefix }) => prefix > 0), 'must not be a network of all addresses')

const hostNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine(
    (names) => names.every((name) => /^[a-z0-9_]([a-z0-9._-]{0,252})$/i.test(name)),
    'must be host names without a port, separated by commas, like berth.example.org,berth.lan',
  )

/** An error never shows the value, which may contain a password. */
const proxyUrl = z.string().transform((text, context) => {
  const url = proxyUrlOf(text)
  if (url !== null) return url
  context.addIssue({
    code: 'custom',
    message:
      'must be the URL of a proxy, like http://proxy.example.org:3128 or http://user:password@proxy.example.org:3128, ' +
      'with special characters of the password percent-encoded',
  })
  return z.NEVER
})

/** The hosts that are reached without a proxy. */
const noProxy = z.string().transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== ''))

const absolutePath = (path: string) => (isAbsolute(path) ? path : resolve(path))

const environment = z.object({
  BERTH_DATA: z.string().min(1, 'must be a folder').default(join(homedir(), '.berth')).transform(absolutePath),
  BERTH_HOST: z
    .union([z.ipv4(), z.ipv6(), z.literal('localhost')], 'must be an address of this machine, like 127.0.0.1')
    .default('127.0.0.1'),
  BERTH_PORT: port.default(3000),
  BERTH_HOSTS: hostNames.default([]),
  BERTH_TRUSTED_PROXIES: trustedProxies.default([]),
  BERTH_ACCESS_TOKEN: accessToken.optional(),
  BERTH_MASTER_KEY: masterKey.optional(),
  BERTH_NEW_MASTER_KEY: masterKey.optional(),
  DOCKER_HOST: z
    .string()
    .regex(
      /^(unix:\/\/\/.+|tcp:\/\/[^/:]+:\d{1,5}\/?)$/,
      'must be like unix:///var/run/docker.sock or tcp://10.0.0.5:2375',
    )
    .default('unix:///var/run/docker.sock'),
  BERTH_NETWORK: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be a network name')
    .default('berth'),
  BERTH_GATEWAY_IMAGE: z.string().min(1).default('haproxy:3.0'),
  BERTH_UDP_GATEWAY_IMAGE: z.string().min(1).default('nginx:1'),
  BERTH_PROXY: z.enum(['service', 'process', 'off'], 'must be service, process or off').default('service'),
  BERTH_PROXY_IMAGE: z.string().min(1).default('caddy:2'),
  BERTH_REGISTRY_IMAGE: z.string().min(1).default('registry:2'),
  BERTH_PROXY_HTTP_PORT: port.default(80),
  BERTH_PROXY_HTTPS_PORT: port.default(443),
  BERTH_ACME_DIRECTORY: z
    .url({ protocol: /^https?$/, error: 'must be the URL of an ACME directory' })
    .default('https://acme-v02.api.letsencrypt.org/directory'),
  BERTH_ACME_EMAIL: z.email('must be an e-mail address').optional(),
  BERTH_ACME_ROOTS: z.string().transform(absolutePath).optional(),
  BERTH_BACKUP_CONCURRENCY: count(100).default(Math.max(2, availableParallelism())),
  BERTH_BACKUP_IDLE_SECONDS: count(daySeconds).default(600),
  BERTH_BACKUP_TOTAL_SECONDS: count(20 * daySeconds).default(daySeconds),
  BERTH_ADVERTISE_ADDR: z.union([z.ipv4(), z.ipv6()], 'must be an address of this machine').optional(),
  BERTH_PUBLIC_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]{1,253}$/, 'must be a host name or an address')
    .optional(),
  BERTH_SAFETY_DUMP_DAYS: count(3650).default(7),
  BERTH_EGRESS_ALLOW: networks.optional(),
  HTTP_PROXY: proxyUrl.optional(),
  HTTPS_PROXY: proxyUrl.optional(),
  NO_PROXY: noProxy.optional(),
  http_proxy: proxyUrl.optional(),
  https_proxy: proxyUrl.optional(),
  no_proxy: noProxy.optional(),
})

/** Rejects two settings with the same port, unless the proxy is off. */
const settings = environment.superRefine((values, context) => {
  if (values.BERTH_PROXY === 'off') return
  const { BERTH_PORT, BERTH_PROXY_HTTP_PORT, BERTH_PROXY_HTTPS_PORT } = values
  const ports = Object.entries({ BERTH_PORT, BERTH_PROXY_HTTP_PORT, BERTH_PROXY_HTTPS_PORT })
  ports.forEach(([name, number], at) => {
    const other = ports.slice(0, at).find(([, before]) => before === number)
    if (other) context.addIssue({ code: 'custom', path: [name], message: `must not be the same port as ${other[0]}` })
  })
})

/**
 * Parses the settings in environment variables.
 *
 * @throws an Error with a line for each rule that a setting breaks. The lines contain no values: some are secrets.
 */
export function parseConfig(env: NodeJS.ProcessEnv): Config {
  // An empty variable counts as unset: shells and unit files often set one to unset it.
  const nonEmpty = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = settings.safeParse(nonEmpty)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`)
    throw new Error(`Invalid settings:\n${lines.join('\n')}`)
  }
  const values = parsed.data
  const proxySettings = {
    // Of both spellings, lower case counts, as with curl.
    httpProxy: values.http_proxy ?? values.HTTP_PROXY ?? null,
    httpsProxy: values.https_proxy ?? values.HTTPS_PROXY ?? null,
    // Berth asks itself whether it is ready: never by a proxy.
    direct: [...(values.no_proxy ?? values.NO_PROXY ?? []), values.BERTH_HOST],
  }
  return {
    dataFolder: values.BERTH_DATA,
    host: values.BERTH_HOST,
    port: values.BERTH_PORT,
    hostNames: new Set(
      [hostname(), values.BERTH_PUBLIC_HOST ?? '', ...values.BERTH_HOSTS].map((name) => name.toLowerCase()),
    ),
    trustedProxies: values.BERTH_TRUSTED_PROXIES,
    accessToken: values.BERTH_ACCESS_TOKEN ?? null,
    masterKey: values.BERTH_MASTER_KEY ?? null,
    newMasterKey: values.BERTH_NEW_MASTER_KEY ?? null,
    dockerHost: values.DOCKER_HOST,
    imageAliases: new Map([
      ['mariadb:6', 'mariadb:11'],
      ['mongo:15', 'mongo:8'],
    ]),
    gatewayImage: values.BERTH_GATEWAY_IMAGE,
    udpGatewayImage: values.BERTH_UDP_GATEWAY_IMAGE,
    proxy: values.BERTH_PROXY,
    proxyImage: values.BERTH_PROXY_IMAGE,
    registryImage: values.BERTH_REGISTRY_IMAGE,
    proxyHttpPort: values.BERTH_PROXY_HTTP_PORT,
    proxyHttpsPort: values.BERTH_PROXY_HTTPS_PORT,
    acme: {
      directory: values.BERTH_ACME_DIRECTORY,
      email: values.BERTH_ACME_EMAIL ?? null,
      rootsFile: values.BERTH_ACME_ROOTS ?? null,
    },
    backups: {
      concurrency: values.BERTH_BACKUP_CONCURRENCY,
      idleMs: values.BERTH_BACKUP_IDLE_SECONDS * 1000,
      totalMs: values.BERTH_BACKUP_TOTAL_SECONDS * 1000,
    },
    networkName: values.BERTH_NETWORK,
    advertiseAddress: values.BERTH_ADVERTISE_ADDR ?? null,
    publicHost: values.BERTH_PUBLIC_HOST ?? null,
    safetyDumpDays: values.BERTH_SAFETY_DUMP_DAYS,
    egress: egressOf(values.BERTH_EGRESS_ALLOW ?? [], undefined, proxiesOf(proxySettings)),
    proxySettings,
  }
}
