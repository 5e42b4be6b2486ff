/** berth token and berth audit. */
import type { Operations } from '../../../client/client.ts'
import { choiceOption, type CommandDeclaration, type GroupDeclaration, type Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import { findNamed, given, optionalNumber } from '../../names.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'
import { proofNote, withProof } from './proof.ts'

const scopes = ['read', 'deploy', 'admin'] as const

const commands: CommandDeclaration[] = [
  { name: 'ls', description: 'list your API tokens', examples: ['berth token ls'], run: list },
  {
    name: 'create',
    description: 'create an API token, and print it once',
    arguments: [['<name>', 'what the token is for']],
    options: [
      choiceOption('--scope <scope>', 'what the token may do', scopes).makeOptionMandatory(),
      ['--expires <time>', 'when it ends: 2030-01-31T12:00:00Z, or after 12h, 30d'],
    ],
    notes: [
      'deploy may also deploy, start, stop and reload databases, and make dumps; admin may do what you may.',
      proofNote,
    ],
    examples: ['berth token create pipeline --scope deploy --expires 90d'],
    run: create,
  },
  {
    name: 'rm',
    description: 'revoke an API token',
    arguments: [['<token>', 'the name or the id of the token']],
    examples: ['berth token rm pipeline'],
    run: remove,
  },
]

export const tokenGroup: GroupDeclaration = {
  name: 'token',
  description: 'manage your API tokens',
  examples: ['berth token ls', 'berth token create pipeline --scope deploy'],
  commands,
}

export const auditCommand: CommandDeclaration = {
  name: 'audit',
  description: 'list changes and refused calls, newest first',
  options: [
    ['--limit <count>', 'how many entries (50)'],
    ['--since <time>', 'leave out older entries: 2030-01-31T12:00:00Z, or 90s, 15m, 2h, 3d'],
    ['--operation <name>', 'only calls of this operation'],
    ['--record <id>', 'only calls about the record with this id'],
    ['--result <code>', 'only calls with this result: OK, or the code of an error such as FORBIDDEN'],
    ['--check', 'check the chain of the log: whether entries were changed or removed'],
  ],
  examples: ['berth audit --since 1d', 'berth audit --operation postgres.remove', 'berth audit --check'],
  run: audit,
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const tokens = await open(options).auth.tokens()
  return {
    json: tokens,
    show() {
      if (tokens.length === 0) output.remark('You have no API tokens. Create one: berth token create NAME --scope read')
      output.table(
        ['name', 'scope', 'created', 'used', 'ends', 'id'],
        tokens.map((each) => [
          each.name ?? '-',
          each.scope,
          readableTime(each.createdAt),
          each.lastUsedAt === null ? 'never' : readableTime(each.lastUsedAt),
          each.expiresAt === null ? 'never' : readableTime(each.expiresAt),
          each.tokenId,
        ]),
      )
    },
  }
}

async function create(
  session: Session,
  options: CommonOptions & { scope: (typeof scopes)[number]; expires?: string },
  name: string,
): Promise<Outcome> {
  const expiresAt = options.expires === undefined ? undefined : timeAfter(options.expires)
  const { open, output } = session
  const { auth } = open(options)
  const token = { name, scope: options.scope, ...given('expiresAt', expiresAt) }
  const created = await withProof(session, (proof) => auth.createToken({ ...token, ...proof }))
  return {
    json: created,
    show() {
      output.remark('This token is shown once.')
      output.line(created.token)
    },
  }
}

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time as Berth takes it. `30d` stands for the time in 30 days. */
function timeAfter(text: string): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? []
  return unit === undefined ? text : new Date(Date.now() + Number(count) * unitMs[unit]!).toISOString()
}

async function remove({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const token = findNamed('API token', name, await client.auth.tokens(), (each) => [
    each.name ?? each.tokenId,
    each.tokenId,
  ])
  const revoked = await client.auth.revokeToken({ tokenId: token.tokenId })
  return { json: revoked, show: () => output.line(`Revoked ${token.name ?? token.tokenId}.`) }
}

interface AuditOptions extends CommonOptions {
  limit?: string
  since?: string
  operation?: string
  record?: string
  result?: string
  check?: true
}

async function audit({ open, output }: Session, options: AuditOptions): Promise<Outcome> {
  const limit = optionalNumber('--limit', options.limit) ?? 50
  const client = open(options)
  if (options.check === true) {
    const result = await client.audit.check()
    const failure = result.valid ? {} : { failure: new CommandError('failed', 'Entries were changed or removed') }
    return { json: result, show: () => output.line(checkText(result)), ...failure }
  }
  const { since, operation, record, result } = options
  const entries = await client.audit.all({
    order: 'desc',
    limit,
    ...given('since', since),
    ...given('operation', operation),
    ...given('record', record),
    ...given('result', result),
  })
  return {
    json: entries,
    show: () =>
      output.table(
        ['when', 'who', 'operation', 'result', 'record'],
        entries.map((each) => [
          each.at.slice(0, 19).replace('T', ' '),
          each.email ?? each.kind,
          each.operation,
          output.styled(each.result === 'OK' ? 'good' : 'bad', each.result),
          each.record ?? '-',
        ]),
      ),
  }
}

type CheckResult = Awaited<ReturnType<Operations['audit']['check']>>

const checkText = ({ valid, entries, brokenAt }: CheckResult) =>
  valid ? `The chain of the ${entries} entries is whole.` : `The chain is broken at the entry ${brokenAt}.`
