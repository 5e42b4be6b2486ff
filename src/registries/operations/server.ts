/** Operations on the registry that Berth runs: enable the registry, and delete its unused layers. */
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { action, type ActionContext, command } from '../../api/contract.ts'
import * as deployments from '../../deployments/queries.ts'
import { reasonAnswer } from '../../deployments/reason-message.ts'
import { refuse, refuseField } from '../../errors.ts'
import { bcryptFault, isBcryptOf } from '../../lib/crypto/bcrypt.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { parseRegistry, passwordFault } from '../../lib/registry-client/registry.ts'
import { hostOf as normalizedHost } from '../../routing/caddy/hosts.ts'
import {
  recordChangedCredentials,
  openHtpasswd,
  openRegistryPassword,
  sealHtpasswd,
  sealRegistryPassword,
  serverOf,
} from '../queries.ts'
import { type RegistryServerTable, registryName } from '../table.ts'
import { readApplications } from '../../routing/queries.ts'
import type { Reader, RegistryTable, Writer } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { idOf, refuseMask } from '../../api/fields.ts'
import { portOwnerOf } from '../../ports/port-owners.ts'
import { textField, findRegistry, Insecure, Registry, RegistryUrl, toRegistry, Username } from '../records.ts'
import { beginDeployment } from '../begin-work.ts'

/** Returns the answer to a call with `Prefer: wait`: the registry after its deployment has ended. */
const registryAfterDeployment = async ({ db }: { db: Reader }, _input: unknown, [deploymentId = '']: string[]) => {
  const { subjectId } = await deployments.get(db, deploymentId)
  return toRegistry(db, await findRegistry(db, subjectId))
}

export const enableSelfHostedRegistry = action({
  name: 'registry.enableSelfHostedRegistry',
  summary: 'Run a registry on the swarm, or change its address and credentials',
  description:
    'Berth runs at most one registry. If `registryUrl` has no port (`registry.example.com`), the proxy serves the ' +
    'registry with TLS. The proxy uses a certificate of certificates.create, or else obtains one by ACME. If ' +
    '`registryUrl` has a port (`10.0.0.5:5000`), the registry publishes this port on the node that Berth runs on, ' +
    'without TLS. By default, Docker accepts a registry without TLS only at a loopback address. Add any other address ' +
    "to dockerd's `insecure-registries` on every node that pulls images from it. The deployment is done when Berth has " +
    'logged in to the registry. `Prefer: wait` waits for the login. If Berth has kept the volume of a removed ' +
    'registry, the new registry uses this volume with its images.',
  access: 'admin:admin',
  input: z.object({
    registryUrl: RegistryUrl.min(1, 'must not be empty').describe(
      'Host name that the proxy serves, such as registry.example.com, or address with a port of the node, such as ' +
        '10.0.0.5:5000',
    ),
    username: Username.describe('Name with which Docker and Berth log in to the registry'),
    password: textField((text) => passwordFault(text) ?? lineFault(text) ?? bcryptFault(text), 10_000).describe(
      'Password of that user, at most 72 bytes. The mask ******** keeps the stored one',
    ),
    insecure: Insecure.default(false),
  }),
  output: Registry,
  refusals: ['CONFLICT'],
  async run(context, { username, password: requestedPassword, insecure, ...input }) {
    const { actor, config, db, vault, conclude, now, newId } = context
    const address = addressOf(config, input.registryUrl)
    const password = requestedPassword === mask ? await storedPassword(db, vault) : requestedPassword
    const hash = await hashOf(context, await serverOf(db), username, password)
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
        secrets: sealRegistryPassword(vault, id, password),
        imagePrefix: before?.imagePrefix ?? null,
        insecure: insecure ? 1 : 0,
        adminId: before?.adminId ?? actor.accountId,
        createdAt: before?.createdAt ?? now().toISOString(),
      }
      await checkFree(tx, config, address)
      await tx.deleteFrom('registry').where('id', '=', id).execute()
      await tx.insertInto('registry').values(row).execute()
      await recordChangedCredentials(tx, newId(), [before?.registryUrl ?? row.registryUrl, row.registryUrl])
      await beginDeployment({ tx, now, newId, wake, follow }, row, 'enableRegistry', {
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
  finalAnswer: registryAfterDeployment,
})

/** A person types this password into Docker. */
const lineFault = (text: string): string | null => (/[\t\n\r]/.test(text) ? 'must be one line without tabs' : null)

export const collectGarbage = command({
  name: 'registry.collectGarbage',
  summary: 'Delete unused layers from the registry that Berth runs',
  description:
    'The registry restarts twice and is read-only in between: it refuses pushes but serves pulls. `Prefer: wait` ' +
    'waits for the end of the collection. The reason of the deployment (deployment.all) says how much was deleted.',
  access: 'admin:admin',
  input: z.object({
    registryId: idOf('registry that Berth runs'),
    untagged: z
      .boolean()
      .default(false)
      .describe(
        'Also deletes images without a tag. Do not use this with version 2 of the registry if it has multi-platform ' +
          'images: version 2 treats the image of each platform as an image without a tag',
      ),
  }),
  output: Registry,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run(context, { registryId, untagged }) {
    const row = await findRegistry(context.tx, registryId)
    const server = await serverOf(context.tx)
    if (server?.registryId !== row.id) {
      refuse(
        'CONFLICT',
        'Berth does not run this registry. Garbage can be collected only in the registry that Berth runs',
      )
    }
    if (server.deploymentId !== null) {
      refuse('CONFLICT', 'A deployment of the registry is in progress. Try again when it has ended')
    }
    if (server.status !== 'done') {
      const { reason, reasonCode } = reasonAnswer(server.reason)
      refuse('CONFLICT', reason ?? 'The registry does not run', { reason: reasonCode })
    }
    await beginDeployment(context, row, 'collectGarbage', { collecting: 1, untagged: untagged ? 1 : 0 })
    return toRegistry(context.tx, row)
  },
  finalAnswer: registryAfterDeployment,
})

/** The address of the registry. Exactly one of `host` and `port` is null. */
interface Address {
  registryUrl: string
  /** The host name that the proxy serves. */
  host: string | null
  /** The port that the registry publishes on its node. */
  port: number | null
}

/** Parses the address: a host name that the proxy serves, or an address with a port of the node. Refuses all others. */
function addressOf(config: Config, registryUrl: string): Address {
  const refuseUrl = (message: string) => refuseField('registryUrl', message)
  const { host, origins } = parseRegistry(registryUrl)!
  if (host === 'docker.io') refuseUrl('must not be Docker Hub: Berth cannot run a registry at this address')
  const [first = ''] = origins
  const { hostname, port, protocol } = new URL(first)
  const scheme = /^https?:/i.exec(registryUrl.trim())?.[0].toLowerCase() ?? null
  const number = Number(port) || (protocol === 'https:' ? 443 : 80)
  if (scheme !== 'http:' && number === config.proxyHttpsPort) {
    if (config.proxy === 'off') {
      refuseUrl('must have a port, like 10.0.0.5:5000: BERTH_PROXY is off, so no proxy serves host names')
    }
    const hostName = /^[\d.]+$|^\[/.test(hostname) ? null : normalizedHost(hostname)
    if (hostName === null) {
      refuseUrl('must be a host name without a port, or an address with a port: the proxy cannot serve an IP address')
    }
    return { registryUrl, host: hostName, port: null }
  }
  const proxyText = `The proxy serves host names with TLS at port ${config.proxyHttpsPort}`
  if (scheme === 'https:') {
    refuseUrl(`cannot use TLS at this port. ${proxyText}. For a registry without TLS write http://${host}`)
  }
  if (port === '') {
    refuseUrl(`must have a port. ${proxyText}. At any other port, the registry itself listens without TLS`)
  }
  // A URL without a scheme means HTTPS, except for loopback addresses: Docker uses plain HTTP for them by default.
  const canStayUnchanged = scheme !== null || origins.length > 1
  return { registryUrl: canStayUnchanged ? registryUrl : `http://${host}`, host: null, port: number }
}

/** Refuses a port or a host name that has another owner. */
async function checkFree(tx: Writer, config: Config, { host, port }: Address): Promise<void> {
  const owner = port !== null && (await portOwnerOf(tx, config, { port, protocol: 'tcp', isRegistry: true }))
  if (owner) refuseField('registryUrl', `cannot use port ${port}, which is ${owner}. Choose another port`, 'CONFLICT')
  const others = (await readApplications(tx)).filter(({ name }) => name !== registryName)
  const owningApplication = others.find(({ hosts }) => host !== null && (JSON.parse(hosts) as string[]).includes(host))
  if (owningApplication === undefined) return
  refuseField(
    'registryUrl',
    `is already a host name of the application ${owningApplication.name} (label berth.host). Choose another host name`,
    'CONFLICT',
  )
}

/** Returns the password that a mask stands for. Refuses a mask if no password is stored. */
async function storedPassword(db: Reader, vault: Vault): Promise<string> {
  const server = await serverOf(db)
  const row = await db
    .selectFrom('registry')
    .selectAll()
    .where('id', '=', server?.registryId ?? '')
    .executeTakeFirst()
  return row === undefined ? refuseMask('password') : openRegistryPassword(vault, row)
}

/**
 * Returns the bcrypt hash of the password. Returns the stored hash for unchanged credentials, because a new hash would
 * restart the registry.
 */
async function hashOf(
  { vault, passwords }: Pick<ActionContext, 'vault' | 'passwords'>,
  server: RegistryServerTable | undefined,
  username: string,
  password: string,
): Promise<string> {
  const before = server === undefined ? null : openHtpasswd(vault, server)
  const isSame = before !== null && before.username === username && (await isBcryptOf(password, before.hash))
  return isSame ? before.hash : passwords.bcrypt(password)
}
