/** berth route: redirects, basic auth and published ports of applications. */
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { findNamed } from '../names.ts'
import { ask } from '../prompt.ts'
import type { CommonOptions, Session } from '../session.ts'

export function addRoutes(program: Command, session: Session): void {
  const route = program.command('route').description('manage redirects, basic auth and ports of applications')
  route
    .command('ls')
    .description('list applications with their host names and rules')
    .action((_, command: Command) => list(session, command.optsWithGlobals()))
  route
    .command('redirect')
    .argument('<application>', 'the name or the id of the application')
    .argument('<regex>', 'RE2, matched against the whole URL')
    .argument('<replacement>', 'where to; $1 stands for the first group')
    .description('add a redirect')
    .option('--permanent', 'answer 301 in place of 302')
    .action((application: string, regex: string, replacement: string, _, command: Command) =>
      redirect(session, { application, regex, replacement }, command.optsWithGlobals()),
    )
  route
    .command('protect')
    .argument('<application>', 'the name or the id of the application')
    .argument('<user>', 'the name of the user')
    .description('ask for a name and a password (basic auth)')
    .action((application: string, user: string, _, command: Command) =>
      protect(session, application, user, command.optsWithGlobals()),
    )
  route
    .command('publish')
    .argument('<application>', 'the name or the id of the application')
    .argument('<port>', 'the port on the node, and the port of the application: 5353:53')
    .description('publish a port of an application')
    .option('--udp', 'UDP in place of TCP')
    .action((application: string, port: string, _, command: Command) =>
      publish(session, application, port, command.optsWithGlobals()),
    )
  route
    .command('rm')
    .argument('<id>', 'the id of a redirect, a user or a port (berth route ls --json)')
    .description('remove a rule')
    .action((id: string, _, command: Command) => remove(session, id, command.optsWithGlobals()))
}

/** Rules can be added before their application exists: an unknown name is taken as it is. */
async function applicationId(client: Client, name: string): Promise<string> {
  const all = await client.application.all()
  const isKnown = all.some((each) => [each.name, each.alias, each.applicationId].includes(name))
  return isKnown
    ? findNamed('application', name, all, (each) => [each.name, each.alias ?? '', each.applicationId]).applicationId
    : name
}

async function list({ open, output }: Session, options: CommonOptions): Promise<void> {
  const client = open(options)
  const [applications, redirects, securities, ports] = await Promise.all([
    client.application.all(),
    client.redirects.all(),
    client.security.all(),
    client.port.all(),
  ])
  if (options.json === true) return output.json({ applications, redirects, securities, ports })
  output.table(
    ['application', 'hosts', 'health', 'redirects', 'users', 'ports', 'reason'],
    applications.map((each) => [
      each.name,
      each.hosts.join(', ') || '-',
      output.styled(each.health === 'up' ? 'good' : each.health === 'down' ? 'bad' : 'busy', each.health),
      String(each.redirects.length),
      String(each.securities.length),
      String(each.ports.length),
      each.reason ?? '',
    ]),
  )
}

async function redirect(
  { open, output }: Session,
  { application, ...rule }: { application: string; regex: string; replacement: string },
  options: CommonOptions & { permanent?: boolean },
): Promise<void> {
  const client = open(options)
  const id = await applicationId(client, application)
  const created = await client.redirects.create({ ...rule, permanent: options.permanent === true, applicationId: id })
  if (options.json === true) return output.json(created)
  output.line(`Added the redirect ${created.redirectId}.`)
}

async function protect(
  { open, output, env }: Session,
  application: string,
  username: string,
  options: CommonOptions,
): Promise<void> {
  const client = open(options)
  const password = env.BERTH_PASSWORD ?? (await ask(`Password of ${username}: `, { isHidden: true }))
  const id = await applicationId(client, application)
  const created = await client.security.create({ applicationId: id, username, password })
  if (options.json === true) return output.json(created)
  output.line(`${application} now asks for a password: ${created.securityId}.`)
}

async function publish(
  { open, output }: Session,
  application: string,
  port: string,
  options: CommonOptions & { udp?: boolean },
): Promise<void> {
  const client = open(options)
  const [publishedPort, targetPort = publishedPort] = port.split(':').map(Number)
  const id = await applicationId(client, application)
  const created = await client.port.create(
    {
      applicationId: id,
      publishedPort: publishedPort!,
      targetPort: targetPort!,
      protocol: options.udp === true ? 'udp' : 'tcp',
    },
    { wait: 120 },
  )
  if (options.json === true) return output.json(created)
  output.line(`Port ${created.publishedPort} leads to ${application}: ${created.portId}.`)
}

async function remove({ open, output }: Session, id: string, options: CommonOptions): Promise<void> {
  const client = open(options)
  const [redirects, securities] = await Promise.all([client.redirects.all(), client.security.all()])
  if (redirects.some(({ redirectId }) => redirectId === id)) await client.redirects.delete({ redirectId: id })
  else if (securities.some(({ securityId }) => securityId === id)) await client.security.delete({ securityId: id })
  else await client.port.delete({ portId: id }, { wait: 120 })
  output.line(`Removed ${id}.`)
}
