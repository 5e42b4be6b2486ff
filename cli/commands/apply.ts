/** berth apply and berth export: the configuration of an installation as a file. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Plan } from '../apply/step.ts'
import { CommandError } from '../exit.ts'
import { type WaitOptions, waitSecondsOf } from '../progress.ts'
import { ask } from '../prompt.ts'
import type { CommonOptions, Session } from '../session.ts'

interface ApplyOptions extends CommonOptions, WaitOptions {
  file: string
  plan?: boolean
  exitCode?: boolean
  resendSecrets?: boolean
}

const applyHelp = `
Without --yes the command prints a plan and asks. A second run plans nothing. If a step fails, or the command is
killed, run it again: it goes on. docs/apply.md describes the file.

Examples:
  berth apply -f berth.yaml
  berth apply -f berth.yaml --plan
  SHOP_PASSWORD=$(cat secret) berth apply -f berth.yaml --yes
`

const exportHelp = `
The file has no secrets, but references to environment variables. Its head lists them.

Examples:
  berth export project shop > berth.yaml
  berth export all > berth.yaml
`

export function addApply(program: Command, session: Session): void {
  program
    .command('apply')
    .description('make projects, databases, backups and routes as a file says')
    .option('-f, --file <path>', 'the file; - is standard input', 'berth.yaml')
    .option('--plan', 'print the plan and change nothing')
    .option('--exit-code', 'with --plan: end with the status 7 if there is something to do')
    .option('--resend-secrets', 'send secrets that Berth never shows again, such as passwords of basic auth')
    .option('--wait <seconds>', 'how long to wait for the end of each deploy (600)')
    .option('--no-wait', 'do not wait for the end of deploys')
    .addHelpText('after', applyHelp)
    .action((_, command: Command) => apply(session, command.optsWithGlobals()))
  const exported = program
    .command('export')
    .description('print the present configuration as a file for berth apply')
    .addHelpText('after', exportHelp)
  exported
    .command('project')
    .argument('<name>', 'the name of the project')
    .description('print one project and the destinations of its backups')
    .option('--nodes', 'also say on which nodes the databases are')
    .action((name: string, _, command: Command) => exportFile(session, name, command.optsWithGlobals()))
  exported
    .command('all')
    .description('print everything that berth apply knows')
    .option('--nodes', 'also say on which nodes the databases are')
    .action((_, command: Command) => exportFile(session, null, command.optsWithGlobals()))
}

/** The modules are loaded only here, because other commands do not need them. */
const load = async () => ({
  ...(await import('../apply/parse.ts')),
  ...(await import('../apply/references.ts')),
  ...(await import('../apply/state.ts')),
  ...(await import('../apply/plan.ts')),
  ...(await import('../apply/show.ts')),
  ...(await import('../apply/execute.ts')),
  ...(await import('../apply/export.ts')),
})

async function apply(session: Session, options: ApplyOptions): Promise<void> {
  const waitSeconds = waitSecondsOf(options)
  const { output, env } = session
  const { parseApplyFile, missingVariables, resolverOf, readState, planOf, showPlan, planJson, carryOut } = await load()
  const file = parseApplyFile(await textOf(options.file), nameOf(options.file))
  const missing = missingVariables(file, env)
  if (missing.length > 0) {
    throw new CommandError('usage', `These environment variables are not set or empty: ${missing.join(', ')}`)
  }
  const client = session.open(options)
  const state = await readState(client, ({ projectName, name }) =>
    Object.hasOwn(file.projects[projectName]?.databases ?? {}, name),
  )
  const shouldResendSecrets = options.resendSecrets === true
  const { problems, ...plan } = planOf({ file, state, resolve: resolverOf(env), shouldResendSecrets })
  if (problems.length > 0) throw new CommandError('failed', `The file cannot be applied:\n${problems.join('\n')}`)
  const isJson = options.json === true
  if (isJson) output.json(planJson(plan))
  else showPlan(plan, output)
  if (plan.steps.length === 0) return
  if (options.plan === true) return endPlan(plan, options)
  await confirm(plan, options)
  await carryOut(session, client, plan.steps, state, { waitSeconds, isQuiet: isJson })
  if (!isJson) output.line('Everything is as the file says.')
}

function endPlan({ steps }: Plan, { exitCode }: ApplyOptions): void {
  if (exitCode === true) throw new CommandError('changes', `${steps.length} steps are to be done`)
}

async function confirm({ steps }: Plan, { yes }: ApplyOptions): Promise<void> {
  if (yes === true) return
  if (process.stdin.isTTY !== true) {
    throw new CommandError('usage', 'Confirm the plan with --yes, because standard input is no terminal')
  }
  const answer = await ask(`Carry out these ${steps.length} steps? Type yes: `)
  if (answer.trim() !== 'yes') throw new CommandError('failed', 'Not confirmed. Nothing was changed')
}

async function textOf(path: string): Promise<string> {
  try {
    return path === '-' ? await text(process.stdin) : readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandError('usage', `${nameOf(path)} cannot be read: ${(error as Error).message}`)
  }
}

const nameOf = (path: string) => (path === '-' ? 'standard input' : path)

async function exportFile(
  session: Session,
  project: string | null,
  options: CommonOptions & { nodes?: boolean },
): Promise<void> {
  const { readState, exportText } = await load()
  const client = session.open(options)
  const state = await readState(client, ({ projectName }) => project === null || projectName === project)
  if (project !== null && !state.projects.some(({ name }) => name === project)) {
    const known = state.projects.map(({ name }) => name).join(', ') || 'none'
    throw new CommandError('notFound', `There is no project '${project}'. Known projects: ${known}`)
  }
  session.output.line(exportText(state, { project, hasNodes: options.nodes === true }).trimEnd())
}
