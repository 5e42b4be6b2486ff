/** berth apply and berth export: the configuration of an installation as a file. */
import { Option } from 'commander'
import type { Plan } from '../apply/step.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../command.ts'
import { CommandError } from '../exit.ts'
import { findProject } from '../names.ts'
import { type WaitOptions, waitOptions, waitSecondsOf } from '../progress.ts'
import { ask } from '../terminal/prompt.ts'
import type { CommonOptions, Session } from '../connection/session.ts'
import { textFile } from '../text-file.ts'
import { shellWord } from '../../shared/shell-word.ts'

interface ApplyOptions extends CommonOptions, WaitOptions {
  file: string
  plan?: boolean
  exitCode?: boolean
  resendSecrets?: boolean
}

export const applyCommand: CommandDeclaration = {
  name: 'apply',
  description: 'make projects, databases, backups and routes as a file says',
  options: [
    new Option('-f, --file <path>', 'the file; - is standard input').default('berth.yaml'),
    ['--plan', 'print the plan and change nothing'],
    ['--exit-code', 'with --plan: end with the status 7 if there is something to do'],
    ['--resend-secrets', 'send secrets that Berth never shows again, such as passwords of basic auth'],
    ...waitOptions(),
  ],
  notes: [
    'Prints a plan and asks; --yes answers in scripts. A second run does nothing. If a step fails, or the command is',
    'killed, run it again: it goes on. docs/apply.md describes the file.',
  ],
  examples: [
    'berth apply -f berth.yaml',
    'berth apply -f berth.yaml --plan',
    'SHOP_PASSWORD=$(cat secret) berth apply -f berth.yaml --yes',
  ],
  run: apply,
}

const nodesOption = ['--nodes', 'also say on which nodes the databases are'] as const

export const exportGroup: GroupDeclaration = {
  name: 'export',
  description: 'print the present configuration as a file for berth apply',
  examples: ['berth export project shop > berth.yaml'],
  meant: (word) => `berth export project ${shellWord(word)}`,
  commands: [
    {
      name: 'project',
      arguments: [['<project>', 'the name of the project']],
      description: 'print one project and the destinations of its backups',
      options: [nodesOption],
      notes: ['The file has no secrets, but references to environment variables. Its head lists them.'],
      examples: ['berth export project shop > berth.yaml'],
      run: (session: Session, options: ExportOptions, name: string) => exportFile(session, options, name),
    },
    {
      name: 'all',
      description: 'print everything that berth apply knows',
      options: [nodesOption],
      examples: ['berth export all > berth.yaml'],
      run: (session: Session, options: ExportOptions) => exportFile(session, options, null),
    },
  ],
}

interface ExportOptions extends CommonOptions {
  nodes?: boolean
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

async function apply(session: Session, options: ApplyOptions): Promise<undefined> {
  const waitSeconds = waitSecondsOf(options)
  const { output, env } = session
  const { parseApplyFile, missingVariables, resolverOf, readState, planOf, showPlan, planJson, carryOut } = await load()
  const file = parseApplyFile(textFile('--file', options.file), nameOf(options.file))
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
  if (plan.steps.length === 0) return undefined
  if (options.plan === true) return endPlan(plan, options)
  await confirm(plan, options)
  await carryOut(session, client, plan.steps, state, { waitSeconds, isQuiet: isJson })
  if (!isJson) output.line('Everything is as the file says.')
  return undefined
}

function endPlan({ steps }: Plan, { exitCode }: ApplyOptions): undefined {
  if (exitCode === true) throw new CommandError('changes', `${steps.length} steps are to be done`)
}

async function confirm({ steps }: Plan, { yes }: ApplyOptions): Promise<void> {
  if (yes === true) return
  if (process.stdin.isTTY !== true) {
    throw new CommandError('usage', 'Confirm the plan with --yes, because standard input is no terminal')
  }
  const answer = await ask(`Carry out these ${steps.length} steps? Type yes: `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('failed', 'Not confirmed. Nothing was changed')
}

const nameOf = (path: string) => (path === '-' ? 'standard input' : path)

async function exportFile(session: Session, options: ExportOptions, name: string | null): Promise<Outcome> {
  const { readState, exportText } = await load()
  const client = session.open(options)
  const project = name === null ? null : (await findProject(client, name)).name
  const state = await readState(client, ({ projectName }) => project === null || projectName === project)
  const content = exportText(state, { project, hasNodes: options.nodes === true }).trimEnd()
  return { json: { yaml: content }, show: () => session.output.line(content) }
}
