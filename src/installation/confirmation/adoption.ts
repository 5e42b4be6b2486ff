/**
 * The adoption of services that a restored state does not know: the caller gives the credentials, and Berth logs in to
 * the running server with them. Reads only; adopt-unknown.ts records the databases.
 */
import { z } from 'zod'
import { idOf } from '../../api/fields.ts'
import { Image, required } from '../../databases/columns.ts'
import { foundStartSecrets, foundTarget } from '../../databases/found-target.ts'
import { gatewayName } from '../../databases/reconcile/specs.ts'
import type { Settings, Target } from '../../databases/targets.ts'
import type { FoundTask, Outcome } from '../../engine/engine.ts'
import { kindLabel } from '../../engine/labels.ts'
import type { EngineView } from '../../engine/view.ts'
import { refuseField, refuseInput } from '../../errors.ts'
import { type ImageAliases, resolveImage, versionOfTag } from '../../kinds/images.ts'
import { findKind, kindNamed, kinds } from '../../kinds/index.ts'
import { unknownStart } from '../../kinds/image-start.ts'
import { credentialNames, type Kind } from '../../kinds/kind.ts'
import { loginOutput } from '../../kinds/login-output.ts'
import { mask, maskerOf } from '../../lib/crypto/mask.ts'
import { inputMessage } from '../../lib/text/input-message.ts'
import { placementOf } from '../../databases/service-placement.ts'
import type { Facts, FoundServer } from './differences.ts'
import type { Decided, Difference } from './table.ts'

const Credential = z
  .string()
  .max(1024, 'must have at most 1024 characters')
  .optional()
  .describe("As the server accepts it now. `credentials` of the entry lists the fields of the service's kind")
/** The arguments of a service tell its other settings. */
const everyCredential = new Set(kinds.flatMap(credentialNames))

export const Adoption = z.object({
  name: required.shape.name.optional().describe('Display name of the database. Default: the name of the service'),
  projectId: idOf('project of the database. Default: the oldest project').optional(),
  dockerImage: Image.optional().describe(
    'Image as the record names it, such as postgres:15. Default: the one that runs',
  ),
  ...Object.fromEntries([...everyCredential].map((name) => [name, Credential])),
})

export type Adoptions = Record<string, z.output<typeof Adoption>>

/** The credentials that an adoption of the entry needs. */
export function credentialsOf({ reason, decisions }: Difference): { name: string; isSecret: boolean }[] {
  const kind = reason.reason === 'Unknown' && decisions.includes('adopt') ? findKind(reason.kind) : undefined
  if (kind === undefined) return []
  return credentialNames(kind).map((name) => ({ name, isSecret: kind.secrets.includes(name) }))
}

/** A service to which Berth has logged in, with what its record will contain. */
export interface Adopted {
  server: FoundServer
  kind: Kind
  name: string
  /** Null: the oldest project. */
  projectId: string | null
  settings: Settings
  target: Target
  /** The secrets with which the first server on the volume was started, as the service shows them. */
  startSecrets: Settings
  dataPath: string
  /** The version that the server reported; null if it reported none. */
  version: string | null
}

interface Verifying {
  queryEngine<T>(query: (engine: EngineView) => Promise<T>): Promise<T>
  aliases: ImageAliases
  facts: Facts
}

/**
 * Logs in to each service that is to be adopted. Refuses a login that fails, with the path of the field.
 *
 * @returns the verified services, by their names
 */
export async function verifyAdoptions(
  context: Verifying,
  decided: readonly Decided[],
  adoptions: Adoptions,
): Promise<Map<string, Adopted>> {
  const names = decided
    .filter(({ decision, difference }) => decision === 'adopt' && difference.subjectKind === 'service')
    .map(({ difference }) => difference.subjectId)
  const excess = Object.keys(adoptions).find((name) => !names.includes(name))
  if (excess !== undefined)
    refuseField(`adoptions.${excess}`, 'needs the decision adopt for a service without a record')
  const given = names.map((name) => {
    const adoption = adoptions[name]
    if (adoption === undefined) refuseField(`adoptions.${name}`, 'must contain the credentials, because it is adopted')
    const server = context.facts.servers.find((each) => each.name === name)!
    return { name, adoption, server, settings: settingsOf(name, adoption, server) }
  })
  const verified = given.map(async (each) => [each.name, await verify(context, each)] as const)
  return new Map(await Promise.all(verified))
}

/** The credentials in the form of the kind. */
function settingsOf(service: string, adoption: Adoptions[string], { labels }: FoundServer): Settings {
  const kind = kindNamed(labels[kindLabel]!)
  const given = Object.fromEntries(Object.entries(adoption).filter(([name]) => everyCredential.has(name)))
  const parsed = z.strictObject(kind.settings.shape).safeParse(given, { error: inputMessage })
  if (!parsed.success) {
    refuseInput(parsed.error.issues.map(({ message, path }) => ({ message, path: ['adoptions', service, ...path] })))
  }
  const settings = parsed.data as Settings
  const unknown = kind.secrets.find((name) => ['', mask].includes(settings[name]!))
  if (unknown !== undefined)
    refuseField(`adoptions.${service}.${unknown}`, 'must be the password that the server accepts')
  return settings
}

interface Given {
  name: string
  adoption: Adoptions[string]
  server: FoundServer
  settings: Settings
}

async function verify(
  { queryEngine, aliases }: Verifying,
  { name, adoption, server, settings: credentials }: Given,
): Promise<Adopted> {
  const kind = kindNamed(server.labels[kindLabel]!)
  return queryEngine(async (engine) => {
    const task = await runningTask(engine, name)
    const [spec, gateway] = [await engine.foundSpec(name), await engine.foundSpec(gatewayName(server.databaseId))]
    if (spec === null) refuseGone(name)
    const settings = { ...credentials, ...kind.lasting?.found(spec.args) } as Settings
    const version = await login(engine, name, kind, settings, task)
    const dockerImage = adoption.dockerImage ?? spec.image
    const present = await engine.image(spec.image)
    const id = present?.id ?? spec.image
    const digest = spec.image === id ? null : spec.image
    const start = present?.start ?? unknownStart
    const imageVersion = version ?? versionOfTag(dockerImage, kind, aliases)
    const image = { reference: resolveImage(dockerImage, aliases), digest, id, version: imageVersion, start }
    const externalPort = gateway?.ports[0]?.published ?? null
    const volume = placementOf(server)?.volume
    return {
      server: { ...server, nodeId: server.nodeId ?? task.nodeId },
      ...{ kind, settings, version, name: adoption.name ?? name, projectId: adoption.projectId ?? null },
      target: foundTarget(kind, spec, { settings, dockerImage, image, externalPort }),
      startSecrets: foundStartSecrets(kind, spec, settings),
      dataPath: spec.mounts.find((mount) => mount.name === volume)?.path ?? kind.dataPath(version),
    }
  })
}

async function runningTask(engine: EngineView, service: string): Promise<FoundTask & { address: string }> {
  const tasks = await engine.tasks([service])
  const [task, ...others] = tasks.filter(({ state, desired }) => state === 'running' && desired === 'running')
  if (task === undefined || task.address === null || others.length > 0) refuseGone(service)
  return { ...task, address: task.address }
}

function refuseGone(service: string): never {
  refuseField(`adoptions.${service}`, 'The service does not run now. Start it, or leave it', 'CONFLICT')
}

const loginTimeoutMs = 10_000

/** Logs in over the network with every credential. Returns the version that the server reports. */
async function login(
  engine: EngineView,
  service: string,
  kind: Kind,
  settings: Settings,
  task: FoundTask & { address: string },
): Promise<string | null> {
  const program = kind.ready(settings, { host: task.address, port: kind.port })
  const outcome = await engine.ask(task, program, loginTimeoutMs)
  const { version, isRootRefused } = loginOutput(outcome.stdout)
  if (outcome.exitCode === 0 && !isRootRefused) return version
  const text = maskerOf(kind.secrets.map((name) => settings[name]!))(errorText(outcome))
  const message = `The login to the server failed: ${text}. Check all credentials`
  refuseField(`adoptions.${service}.${kind.secrets[0]!}`, message, 'UNPROCESSABLE_CONTENT')
}

const errorText = ({ stderr, stdout, exitCode }: Outcome) =>
  (stderr.trim() || stdout.trim() || `exit code ${exitCode}`).slice(-500).replace(/\.$/, '')
