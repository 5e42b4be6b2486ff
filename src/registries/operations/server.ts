/** Operations on the registry that Berth runs: enabling it, and collecting its garbage. */
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { action, command } from '../../api/contract.ts'
import * as deployments from '../../deployments/queries.ts'
import { reasonAnswer } from '../../deployments/reason-message.ts'
import { refuse, refuseField } from '../../errors.ts'
import { bcryptFault, bcryptOf, isBcryptOf } from '../../lib/crypto/bcrypt.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { parseRegistry, passwordFault } from '../../lib/registry-client/registry.ts'
import { hostOf as nameOf } from '../../routing/caddy/hosts.ts'
import {
  recordChangedCredentials,
  openHtpasswd,
  openRegistryPassword,
  sealHtpasswd,
  sealRegistry,
  serverOf,
} from '../queries.ts'
import { type RegistryServerTable, registryName } from '../table.ts'
import { readApplications } from '../../routing/queries.ts'
import type { Reader, RegistryTable, Writer } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { Id } from '../../api/fields.ts'
import { portOwnerOf } from '../../ports/port-owners.ts'
import { checked, find, Insecure, Registry, RegistryUrl, toRegistry, Username } from '../records.ts'
import { begin } from '../begin-work.ts'

/** The answer to a call that waited (`Prefer: wait`): the registry after the work. */
const settled = async ({ db }: { db: Reader }, _input: unknown, [workId = '']: string[]) => {
  const { subjectId } = await deployments.get(db, workId)
  return toRegistry(db, await find(db, subjectId))
}

export const enableSelfHostedRegistry = action({
  name: 'registry.enableSelfHostedRegistry',
  summary: 'Run a registry of images on the swarm; called again, it gets this address and these credentials',
  description:
    'A `registryUrl` without a port (`registry.example.com`) is served by the proxy with TLS: by a ' +
    'certificate of certificates.create, or else one by ACME. With a port (`10.0.0.5:5000`) the registry holds that ' +
    'port of the node that Berth runs on, without TLS: every engine that is to pull has to be told so ' +
    '(`insecure-registries` of dockerd), but for loopback. One runs for each installation. It is done once Berth has ' +
    'logged in to it; `Prefer: wait` waits for that. Images of one that was removed are there again.',
  access: 'admin:admin',
  input: z.object({
    registryUrl: RegistryUrl.min(1, 'must not be empty'),
    username: Username,
    password: checked((text) => passwordFault(text) ?? bcryptFault(text), 10_000).describe(
      'At most 72 bytes. A mask leaves what is stored',
    ),
    insecure: Insecure.default(false),
  }),
  output: Registry,
  refusals: ['CONFLICT'],
  async run(context, { username, password: given, insecure, ...input }) {
    const { actor, config, db, vault, conclude, now, newId } = context
    const address = addressOf(config, input.registryUrl)
    const password = given === mask ? await storedPassword(db, vault) : given
    const hash = await hashOf(vault, await serverOf(db), username, password)
    return conclude(async (tx, wake, follow) => {
      const server = await serverOf(tx)
      const before = await tx
        .selectFrom('registry')
        .selectAll()
        .where('id', '=', server?.registryId ?? '')
        .executeTakeFirst()
      const id = before?.id ?? newId()
      const row: RegistryTable = {
        id,
        registryName: before?.registryName ?? 'Self-hosted registry',
        registryType: 'selfHosted',
        registryUrl: address.registryUrl,
        username,
        secrets: sealRegistry(vault, id, password),
        imagePrefix: before?.imagePrefix ?? null,
        insecure: insecure ? 1 : 0,
        adminId: before?.adminId ?? actor.accountId,
        createdAt: before?.createdAt ?? now().toISOString(),
      }
      await checkFree(tx, config, address)
      await tx.deleteFrom('registry').where('id', '=', id).execute()
      await tx.insertInto('registry').values(row).execute()
      await recordChangedCredentials(tx, newId(), [before?.registryUrl ?? row.registryUrl, row.registryUrl])
      await begin({ tx, now, newId, wake, follow }, row, 'enableRegistry', {
        goal: 'up',
        registryId: id,
        htpasswd: sealHtpasswd(vault, { username, hash }),
        host: address.host,
        port: address.port,
        collecting: 0,
      })
      return toRegistry(tx, row)
    })
  },
  settled,
})

export const collectGarbage = command({
  name: 'registry.collectGarbage',
  summary: 'Delete from the registry that Berth runs what no image uses any more',
  description:
    'It starts anew twice, and takes no pushes meanwhile; pulls go on. `Prefer: wait` waits for its end. ' +
    'What was deleted is said in the reason of the deployment (deployment.all).',
  access: 'admin:admin',
  input: z.object({
    registryId: Id,
    untagged: z
      .boolean()
      .default(false)
      .describe(
        'Also images that no tag names. A registry of version 2 takes the ' +
          'parts of an image for several platforms for such: not for it where there are any',
      ),
  }),
  output: Registry,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run(context, { registryId, untagged }) {
    const row = await find(context.tx, registryId)
    const server = await serverOf(context.tx)
    if (server?.registryId !== row.id) {
      refuse('CONFLICT', 'It is not the registry that Berth runs, and whose garbage alone can be collected here')
    }
    if (server.deploymentId !== null) refuse('CONFLICT', 'Work on the registry is under way. Try again when it is done')
    if (server.status !== 'done') {
      refuse('CONFLICT', reasonAnswer(server.reason).reason ?? 'The registry does not run')
    }
    await begin(context, row, 'collectGarbage', { collecting: 1, untagged: untagged ? 1 : 0 })
    return toRegistry(context.tx, row)
  },
  settled,
})

/** The address of the registry: either `host` or `port` is set. */
interface Address {
  registryUrl: string
  /** The name that the proxy serves. */
  host: string | null
  /** The port that the registry publishes on its node. */
  port: number | null
}

/** Parses the address. The registry is reached by a name through the proxy, or at a port of its node. */
function addressOf(config: Config, registryUrl: string): Address {
  const wrong = (message: string) => refuseField('registryUrl', message)
  const { host, origins } = parseRegistry(registryUrl)!
  if (host === 'docker.io') wrong("is Docker Hub, which is nobody's own")
  const [first = ''] = origins
  const { hostname, port, protocol } = new URL(first)
  const scheme = /^https?:/i.exec(registryUrl.trim())?.[0].toLowerCase() ?? null
  const number = Number(port) || (protocol === 'https:' ? 443 : 80)
  if (scheme !== 'http:' && number === config.proxyHttpsPort) {
    if (config.proxy === 'off') wrong('needs a port, like 10.0.0.5:5000: BERTH_PROXY is off, so nothing serves names')
    const name = /^[\d.]+$|^\[/.test(hostname) ? null : nameOf(hostname)
    if (name === null) wrong('must be a name without a port: the proxy cannot serve an address with TLS')
    return { registryUrl, host: name, port: null }
  }
  const ofProxy = `The proxy serves names with TLS at port ${config.proxyHttpsPort}`
  if (scheme === 'https:') wrong(`cannot be had with TLS there. ${ofProxy}; without TLS write http://${host}`)
  if (port === '') wrong(`needs its port. ${ofProxy}; another one is held by the registry itself, without TLS`)
  // Engines use plain HTTP for loopback addresses without being told.
  const isPlain = scheme !== null || origins.length > 1
  return { registryUrl: isPlain ? registryUrl : `http://${host}`, host: null, port: number }
}

/** Refuses a port or a host name that has another owner. */
async function checkFree(tx: Writer, config: Config, { host, port }: Address): Promise<void> {
  const owner = port !== null && (await portOwnerOf(tx, config, { port, protocol: 'tcp', isRegistry: true }))
  if (owner) refuseField('registryUrl', `has port ${port}, which is ${owner}. Choose another`, 'CONFLICT')
  const others = (await readApplications(tx)).filter(({ name }) => name !== registryName)
  const holder = others.find(({ hosts }) => host !== null && (JSON.parse(hosts) as string[]).includes(host))
  if (holder === undefined) return
  refuseField('registryUrl', `is a name of the application ${holder.name} already (its label berth.host)`, 'CONFLICT')
}

/** Returns the password that a mask stands for. Refuses a mask if no password is stored. */
async function storedPassword(db: Reader, vault: Vault): Promise<string> {
  const server = await serverOf(db)
  const row = await db
    .selectFrom('registry')
    .selectAll()
    .where('id', '=', server?.registryId ?? '')
    .executeTakeFirst()
  return row === undefined
    ? refuseField('password', '"********" means "keep the stored secret", but none is stored. Send the real password')
    : openRegistryPassword(vault, row)
}

/**
 * Returns the password's bcrypt hash. Keeps the stored hash for unchanged credentials, so that the registry need not
 * restart.
 */
async function hashOf(
  vault: Vault,
  server: RegistryServerTable | undefined,
  username: string,
  password: string,
): Promise<string> {
  const before = server === undefined ? null : openHtpasswd(vault, server)
  const isSame = before !== null && before.username === username && (await isBcryptOf(password, before.hash))
  return isSame ? before.hash : bcryptOf(password)
}
