/** berth route: redirects, basic auth and published ports of applications. */
import type { Client, Operations } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import { findNamed } from '../../names.ts'
import { suggestion } from '../../nearest.ts'
import { perform, type WaitOptions, waitOptions, waitSecondsOf } from '../../progress.ts'
import { askSecret, confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { allowPortCommand } from './allow.ts'
import { testCommand } from './test-redirect.ts'

type Port = Awaited<ReturnType<Operations['port']['all']>>[number]
type Application = Awaited<ReturnType<Operations['application']['all']>>[number]

const applicationArgument = ['<application>', 'the name or the id of a Swarm service, or its label'] as const
const laterNote = 'The application need not exist yet. The rule is in force as soon as it does.'

const commands: CommandDeclaration[] = [
  {
    name: 'ls',
    description: 'list applications; with an application, its rules',
    arguments: [['[application]', applicationArgument[1]]],
    options: [['--rules', 'list the rules of all applications, also of those that do not exist now']],
    examples: ['berth route ls', 'berth route ls web', 'berth route ls --rules'],
    run: list,
  },
  {
    name: 'redirect',
    description: 'add a redirect',
    arguments: [
      applicationArgument,
      ['<regex>', 'RE2, matched against the whole URL'],
      ['<replacement>', 'where to; ${1} stands for the first group'],
    ],
    options: [['--permanent', 'answer 301 in place of 302, which browsers remember']],
    notes: [laterNote],
    examples: ["berth route redirect web '^http://www\\.(.*)' 'https://${1}' --permanent"],
    run: redirect,
  },
  testCommand,
  {
    name: 'protect',
    description: 'ask visitors for a name and a password (basic auth)',
    arguments: [applicationArgument, ['<user>', 'the name; the password is asked for, or taken from BERTH_PASSWORD']],
    notes: [laterNote],
    examples: ['berth route protect web admin'],
    run: protect,
  },
  {
    name: 'publish',
    description: 'publish a port of an application',
    arguments: [applicationArgument, ['<port>', 'the port, or the published and the own port: 5353:53']],
    options: [['--udp', 'UDP in place of TCP'], ...waitOptions()],
    notes: [laterNote],
    examples: ['berth route publish dns 5353:53 --udp'],
    run: publish,
  },
  allowPortCommand,
  {
    name: 'rm',
    description: 'remove a redirect, a user or a published port',
    arguments: [['<rule>', 'the id of the rule, or its beginning (berth route ls APPLICATION)']],
    examples: ['berth route rm 01a2b3c4'],
    run: remove,
  },
]

export const routeGroup: GroupDeclaration = {
  name: 'route',
  description: 'manage redirects, basic auth and ports of applications',
  examples: ['berth route ls', 'berth route protect web admin'],
  commands,
}

/** A rule of any type as a person sees it. */
interface Rule {
  id: string
  applicationId: string
  text: string
  reason: string | null
  remove(): Promise<unknown>
}

function portText({ publishedPort, protocol, targetPort, allowedSources }: Omit<Port, 'portId'>): string {
  const sources = allowedSources.length === 0 ? '' : `, for ${allowedSources.join(', ')}`
  return `port ${publishedPort}/${protocol} to ${targetPort}${sources}`
}

async function readRules(client: Client): Promise<Rule[]> {
  const [redirects, securities, ports] = await Promise.all([
    client.redirects.all(),
    client.security.all(),
    client.port.all(),
  ])
  return [
    ...redirects.map(({ redirectId, ...each }) => ({
      ...each,
      id: redirectId,
      text: `redirect ${each.regex} to ${each.replacement}${each.permanent ? ', permanently' : ''}`,
      remove: () => client.redirects.delete({ redirectId }),
    })),
    ...securities.map(({ securityId, ...each }) => ({
      ...each,
      id: securityId,
      text: `password of ${each.username}`,
      remove: () => client.security.delete({ securityId }),
    })),
    ...ports.map(({ portId, ...each }) => ({
      ...each,
      id: portId,
      text: portText(each),
      remove: () => client.port.delete({ portId }, { wait: 120 }),
    })),
  ]
}

const namesOf = ({ name, applicationId, alias }: Application) =>
  alias === null ? [name, applicationId] : [name, applicationId, alias]

const findApplication = async (client: Client, name: string): Promise<Application> =>
  findNamed('application', name, await client.application.all(), namesOf)

/**
 * The application of a new rule: its id, or the name if there is none yet, which is noted. Only whole names count here,
 * because a new application may be called like the beginning of another.
 */
async function applicationFor({ output }: Session, client: Client, name: string): Promise<string> {
  const applications = await client.application.all()
  const found = applications.find((each) => namesOf(each).includes(name))
  if (found !== undefined) return found.applicationId
  const hint = suggestion(name, applications.flatMap(namesOf))
  output.remark(`There is no application '${name}' now. ${hint}`.trim())
  return name
}

/** Prints the effect of a new rule; if the rule is not in force, that it is stored, and why it has no effect yet. */
function tell({ output }: Session, { applied, reason }: { applied: boolean; reason: string | null }, text: RuleText) {
  output.line(applied ? text.inForce : text.stored)
  if (!applied) output.remark(`It is not in force${reason === null ? ' yet' : `: ${reason}`}`)
}

interface RuleText {
  inForce: string
  stored: string
}

async function list(
  { open, output }: Session,
  options: CommonOptions & { rules?: true },
  name?: string,
): Promise<Outcome> {
  const client = open(options)
  if (name !== undefined) return listRules(output, client, await findApplication(client, name))
  if (options.rules === true) return listRules(output, client, null)
  const applications = await client.application.all()
  const styles = { up: 'good', degraded: 'busy', down: 'bad', stopped: 'faint' } as const
  return {
    json: applications,
    show() {
      if (applications.length === 0)
        output.remark('There are no applications: no Swarm service besides those of Berth.')
      output.table(
        ['application', 'hosts', 'health', 'rules', 'reason'],
        applications.map((each) => [
          each.name,
          each.hosts.join(', ') || '-',
          output.styled(styles[each.health], each.health),
          String(each.redirects.length + each.securities.length + each.ports.length),
          each.hosts.length === 0 ? '' : (each.reason ?? ''),
        ]),
      )
    },
  }
}

/** @param application null: all rules */
async function listRules(output: Session['output'], client: Client, application: Application | null): Promise<Outcome> {
  const all = await readRules(client)
  const ids = application === null ? null : [application.redirects, application.securities, application.ports].flat()
  const rules = all.filter(({ id }) => ids === null || ids.includes(id))
  return {
    json: rules,
    show() {
      if (rules.length === 0) output.remark('There are no rules.')
      output.table(
        ['application', 'rule', 'id', 'reason'],
        rules.map((each) => [each.applicationId, each.text, each.id, each.reason ?? '']),
      )
    },
  }
}

async function redirect(
  session: Session,
  options: CommonOptions & { permanent?: true },
  name: string,
  regex: string,
  replacement: string,
): Promise<Outcome> {
  const client = session.open(options)
  const applicationId = await applicationFor(session, client, name)
  const permanent = options.permanent === true
  const created = await client.redirects.create({ regex, replacement, permanent, applicationId })
  const text = `Added the redirect ${created.redirectId}.`
  return { json: created, show: () => tell(session, created, { inForce: text, stored: text }) }
}

async function protect(session: Session, options: CommonOptions, name: string, username: string): Promise<Outcome> {
  const client = session.open(options)
  const applicationId = await applicationFor(session, client, name)
  const password = await askSecret(session.env, 'BERTH_PASSWORD', `Password of ${username}`)
  const created = await client.security.create({ applicationId, username, password })
  const text = { inForce: `${name} now asks for a name and a password.`, stored: `Added the user ${username}.` }
  return { json: created, show: () => tell(session, created, text) }
}

async function publish(
  session: Session,
  options: CommonOptions & WaitOptions & { udp?: true },
  name: string,
  port: string,
): Promise<Outcome> {
  const seconds = waitSecondsOf(options)
  const [, published, target = published] = /^(\d+)(?::(\d+))?$/.exec(port) ?? []
  if (published === undefined) throw new CommandError('usage', `'${port}' is no port. Write 5353 or 5353:53`)
  const client = session.open(options)
  const input = {
    applicationId: await applicationFor(session, client, name),
    publishedPort: Number(published),
    targetPort: Number(target),
    protocol: options.udp === true ? 'udp' : 'tcp',
  } as const
  const work = { name: `publication of port ${published}`, follow: `berth route ls ${name}` }
  const created = await perform(session, work, seconds, (call) => client.port.create(input, call))
  const rule = `port ${published}/${input.protocol}`
  const text = {
    inForce: `Port ${published}/${input.protocol} leads to ${name}.`,
    stored: `Recorded the ${rule} of ${name}.`,
  }
  return { json: created, show: () => tell(session, created, text) }
}

async function remove({ open, output }: Session, options: CommonOptions, id: string): Promise<Outcome> {
  const client = open(options)
  const rule = findNamed('rule', id, await readRules(client), (each) => [each.id])
  await confirmName(`This removes: ${rule.text}.`, rule.id.slice(0, 8), options.yes)
  const removed = await rule.remove()
  return { json: removed, show: () => output.line(`Removed: ${rule.text}.`) }
}
