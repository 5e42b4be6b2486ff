/** The settings of Berth, parsed from environment variables. One error names all invalid settings. */
import { availableParallelism, homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type Egress, egressOf, type Network } from './lib/net/egress.ts'
import { isLoopbackOnly } from './lib/net/local-url.ts'
import type { PublicUrl } from './lib/net/public-url.ts'
import {
  absolutePath,
  accessToken,
  count,
  daySeconds,
  hostNames,
  masterKey,
  networks,
  port,
  publicUrl,
  tlsNames,
} from './setting-values.ts'

/** Where the certificate for BERTH_PUBLIC_URL comes from. `internal`: the authority `installation` issues it. */
export const certificateSources = ['acme', 'uploaded', 'internal'] as const
export type CertificateSource = (typeof certificateSources)[number]

export interface Config {
  /** Absolute path of the folder with the store and the keys. */
  dataFolder: string
  host: string
  port: number
  /** The URL at which the proxy serves Berth by HTTPS. Null: Berth is served only at `host` and `port`. */
  publicUrl: (PublicUrl & { certificate: CertificateSource }) | null
  /** The proxies in front of Berth whose headers about the client Berth believes. */
  trustedProxies: readonly Network[]
  /**
   * The names by which browsers may reach Berth, in lower case: of this machine, BERTH_PUBLIC_URL, BERTH_PUBLIC_HOST and
   * BERTH_HOSTS.
   */
  hostNames: ReadonlySet<string>
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
  /** The image of workers, which exchange dumps with the storage on the data's node. Has `node`, `mkfifo` and `sh`. */
  nodeImage: string
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
  /** A session ends if no byte is sent in either direction for this time. */
  sessionIdleMs: number
  /** Name of Berth's attachable overlay network. */
  networkName: string
  /** Address of this host that other nodes and clients connect to; null: the engine chooses. */
  advertiseAddress: string | null
  /** The TCP port of other nodes through which Berth calls their engines. */
  enginePort: number
  /** The networks from which that port accepts connections; null: only the address of Berth's node. */
  engineSources: readonly Network[] | null
  /** Host name or address in external URLs; null: the node's address. */
  publicHost: string | null
  /** Names and addresses in the certificates of all databases. */
  tlsNames: readonly string[]
  /** Retention of safety dumps in days. A safety dump holds the data that a restore replaced. */
  safetyDumpDays: number
  /** The URL that Berth calls every minute while it works; null: none. It may be a secret. */
  heartbeatUrl: string | null
  /** After how many hours without transactions a database is idle; null: it never is. */
  idleHours: number | null
  /** The addresses that requests to storages, registries, a signalUrl and the heartbeat URL may reach. */
  egress: Egress
}

const environment = z.object({
  BERTH_DATA: z.string().min(1, 'must be a folder').default(join(homedir(), '.berth')).transform(absolutePath),
  BERTH_HOST: z
    .union([z.ipv4(), z.ipv6(), z.literal('localhost')], 'must be an address of this machine, like 127.0.0.1')
    .default('127.0.0.1'),
  BERTH_PORT: port.default(3000),
  BERTH_HOSTS: hostNames.default([]),
  BERTH_INSECURE_HTTP: z.enum(['0', '1'], 'must be 0 or 1').default('0'),
  BERTH_PUBLIC_URL: publicUrl.optional(),
  BERTH_PUBLIC_CERTIFICATE: z.enum(certificateSources, 'must be acme, uploaded or internal').optional(),
  BERTH_TRUSTED_PROXIES: networks.optional(),
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
  BERTH_NODE_IMAGE: z.string().min(1).default('node:26-slim'),
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
  BERTH_SESSION_IDLE_SECONDS: count(daySeconds).default(1800),
  BERTH_ADVERTISE_ADDR: z.union([z.ipv4(), z.ipv6()], 'must be an address of this machine').optional(),
  BERTH_ENGINE_PORT: port.default(2376),
  BERTH_ENGINE_SOURCES: networks.optional(),
  BERTH_PUBLIC_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]{1,253}$/, 'must be a host name or an address')
    .optional(),
  BERTH_TLS_NAMES: tlsNames.default([]),
  BERTH_SAFETY_DUMP_DAYS: count(3650).default(7),
  BERTH_IDLE_HOURS: count(168).optional(),
  BERTH_HEARTBEAT_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
  BERTH_EGRESS_ALLOW: networks.optional(),
})

/** Rejects settings that contradict each other. The ports of the proxy count unless the proxy is off. */
const settings = environment.superRefine((values, context) => {
  const refuse = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message })
  const { BERTH_PORT, BERTH_PROXY_HTTP_PORT, BERTH_PROXY_HTTPS_PORT, BERTH_ENGINE_PORT } = values
  const ofProxy = values.BERTH_PROXY === 'off' ? {} : { BERTH_PROXY_HTTP_PORT, BERTH_PROXY_HTTPS_PORT }
  const ports = Object.entries({ BERTH_PORT, ...ofProxy, BERTH_ENGINE_PORT })
  ports.forEach(([name, number], at) => {
    const other = ports.slice(0, at).find(([, before]) => before === number)
    if (other) refuse(name, `must not be the same port as ${other[0]}`)
  })
  const { BERTH_PUBLIC_URL, BERTH_PUBLIC_CERTIFICATE, BERTH_PROXY, BERTH_HOST, BERTH_INSECURE_HTTP } = values
  if (BERTH_PUBLIC_URL !== undefined && BERTH_PROXY === 'off') {
    refuse('BERTH_PUBLIC_URL', 'needs the proxy, but BERTH_PROXY is off. For another proxy, set BERTH_HOSTS instead')
  }
  if (BERTH_PUBLIC_URL === undefined && BERTH_PUBLIC_CERTIFICATE !== undefined) {
    refuse('BERTH_PUBLIC_CERTIFICATE', 'has no effect without BERTH_PUBLIC_URL. Set both or neither')
  }
  if (!isLoopbackOnly(BERTH_HOST) && BERTH_INSECURE_HTTP !== '1') refuse('BERTH_HOST', insecureText)
})

const insecureText =
  'must be a loopback address like 127.0.0.1, because Berth does not encrypt this port: passwords and tokens would be ' +
  'readable on the network. To serve other machines by HTTPS, set BERTH_PUBLIC_URL. To serve them without TLS all the ' +
  'same, set BERTH_INSECURE_HTTP=1'

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
  return {
    dataFolder: values.BERTH_DATA,
    host: values.BERTH_HOST,
    port: values.BERTH_PORT,
    publicUrl: publicUrlIn(values),
    trustedProxies: values.BERTH_TRUSTED_PROXIES ?? [],
    hostNames: hostNamesIn(values),
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
    nodeImage: values.BERTH_NODE_IMAGE,
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
    sessionIdleMs: values.BERTH_SESSION_IDLE_SECONDS * 1000,
    networkName: values.BERTH_NETWORK,
    advertiseAddress: values.BERTH_ADVERTISE_ADDR ?? null,
    enginePort: values.BERTH_ENGINE_PORT,
    engineSources: values.BERTH_ENGINE_SOURCES ?? null,
    tlsNames: values.BERTH_TLS_NAMES,
    publicHost: values.BERTH_PUBLIC_HOST ?? null,
    safetyDumpDays: values.BERTH_SAFETY_DUMP_DAYS,
    heartbeatUrl: values.BERTH_HEARTBEAT_URL ?? null,
    idleHours: values.BERTH_IDLE_HOURS ?? null,
    egress: egressOf(values.BERTH_EGRESS_ALLOW ?? []),
  }
}

type Settings = z.output<typeof settings>

const publicUrlIn = ({ BERTH_PUBLIC_URL: url, BERTH_PUBLIC_CERTIFICATE: certificate = 'acme' }: Settings) =>
  url === undefined ? null : { ...url, certificate }

function hostNamesIn({ BERTH_PUBLIC_URL, BERTH_PUBLIC_HOST, BERTH_HOSTS }: Settings): Set<string> {
  const names = [hostname(), BERTH_PUBLIC_URL?.host, BERTH_PUBLIC_HOST, ...BERTH_HOSTS]
  return new Set(names.flatMap((name) => name?.toLowerCase() ?? []))
}
