/** The operations that compare a restored state with what runs, and confirm it. Until then Berth changes nothing. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { action, inspect } from '../../api/contract.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { EngineView } from '../../engine/view.ts'
import type { Reader } from '../../store/schema.ts'
import { Adoption, credentialsOf, verifyAdoptions } from './adoption.ts'
import { applyDecisions } from './apply.ts'
import { checkCode } from './code.ts'
import { differencesOf, type Facts } from './differences.ts'
import { decisionsText, differenceMessage, differenceReasons } from './message.ts'
import { confirmState } from './confirm.ts'
import { readFacts } from './read-facts.ts'
import { type Decided, type Decision, type Difference, decisions, subjectKinds } from './table.ts'
import { unconfirmedSince } from '../../store/unconfirmed.ts'

const DecisionName = z.enum(decisions, `must be one of ${decisions.join(', ')}`)

const Entry = z.object({
  subjectKind: z
    .enum(subjectKinds)
    .describe('database: a record of the state. service: a service without a record. installation: expired dumps'),
  subjectId: z.string().describe('The id of the database, or the name of the service'),
  name: z.string().describe('The appName of the database, or the name of the service'),
  reason: z.string().describe('How the state and what runs differ, as a message'),
  reasonCode: z.enum(differenceReasons).meta({ title: 'DifferenceReason' }).describe('The code of the reason'),
  decisions: z.array(DecisionName).describe('What state.confirm accepts for this entry; empty: nothing to decide'),
  credentials: z
    .array(
      z.object({
        name: z.string().describe('The name of the field'),
        isSecret: z.boolean().describe('Whether it is a password'),
      }),
    )
    .describe('The credentials that the decision adopt needs in `adoptions`; empty: none'),
  proposal: DecisionName.nullable().describe('What Berth proposes; null: nothing to decide'),
})

const Differences = z.object({
  unconfirmedSince: z.string().nullable().describe('When the state was restored; null if the state is confirmed'),
  version: z.string().describe('Identifies these differences, for state.confirm'),
  entries: z.array(Entry).describe('Each database of the state, and each service that the state does not know'),
})

export const differences = inspect({
  name: 'state.differences',
  summary: "Compare Berth's restored state with what runs",
  description:
    'After a restore of its state Berth changes nothing until state.confirm. If the state is confirmed, there are no ' +
    `entries. ${decisionsText}.`,
  access: 'admin:read',
  input: z.object({}),
  output: Differences,
  async run({ db, engine }) {
    const since = await unconfirmedSince(db)
    const found = since === null ? [] : differencesOf(await factsOf(db, engine))
    return { unconfirmedSince: since, version: versionOf(found), entries: found.map(toEntry) }
  },
})

export const confirm = action({
  name: 'state.confirm',
  summary: "Confirm Berth's restored state, and decide about its differences from what runs",
  description:
    'Needs a code that `berth state code` prints on the machine of Berth. Every entry of state.differences that has ' +
    'decisions needs one, unless takeProposals is true. A service that the state does not know is adopted with the ' +
    'credentials of its server: Berth logs in with them, records the database, and does not restart it. Afterwards ' +
    'Berth works again. Databases that are created, started or removed have a deployment, which `Prefer: wait` waits for.',
  access: 'admin:session',
  work: 'read',
  input: z.object({
    code: z.string().min(1, 'must not be empty').max(100).describe('The code that `berth state code` printed'),
    version: z.string().max(100).describe('The version of the differences that the decisions are about'),
    decisions: z
      .record(z.string().max(255), DecisionName)
      .default({})
      .describe('The decision for each entry, by its subjectId'),
    adoptions: z
      .record(z.string().max(255), Adoption)
      .default({})
      .describe('The credentials of each service that is adopted although the state does not know it, by its name'),
    takeProposals: z.boolean().default(false).describe('Whether entries without a decision get the proposed one'),
  }),
  output: z.object({
    decided: z
      .array(
        Entry.pick({ subjectId: true, name: true }).extend({
          decision: DecisionName.describe('What was decided'),
          deploymentId: z
            .string()
            .nullable()
            .describe('The deployment that does it, see deployment.all; null if it needs none'),
        }),
      )
      .describe('What was decided about each entry'),
  }),
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'UNPROCESSABLE_CONTENT'],
  async run(context, input) {
    const { db, transact, conclude, queryEngine, now, clock, vault, config, backups, newId } = context
    await refuseConfirmed(db)
    // The command that issued the code has only the clock of the machine, which Berth may not trust.
    const machineTime = new Date(clock.read().reading.wallMs)
    const isCodeRight = await transact((tx) => checkCode(tx, input.code, machineTime))
    if (!isCodeRight) refuseField('code', wrongCodeMessage, 'UNPROCESSABLE_CONTENT')
    const facts = await queryEngine((engine) => factsOf(db, engine))
    const found = differencesOf(facts)
    if (versionOf(found) !== input.version) refuse('CONFLICT', changedMessage)
    const decided = decide(found, input.decisions, input.takeProposals)
    const verifying = { queryEngine, facts, aliases: config.imageAliases }
    const adopted = await verifyAdoptions(verifying, decided, input.adoptions)
    return conclude(async (tx, wake, follow) => {
      await refuseConfirmed(tx)
      const deciding = { tx, vault, config, backups, facts, adopted, newId, wake, follow, at: now() }
      const deployments = await applyDecisions(deciding, decided)
      await confirmState(tx, facts)
      for (const loop of heldLoops) wake(loop)
      return {
        decided: decided.map(({ difference: { subjectId, name }, decision }) => {
          return { subjectId, name, decision, deploymentId: deployments.get(subjectId) ?? null }
        }),
      }
    })
  },
})

/** The loops whose work waited for the confirmation. */
const heldLoops = ['services', 'watch', 'backups', 'ports', 'proxy', 'registry', 'nodes', 'confirmation'] as const

const wrongCodeMessage =
  'is not the present code, or has expired. Run `berth state code` on the machine of Berth for another one'
const changedMessage = 'The differences have changed. Read state.differences again, and decide about them'

async function refuseConfirmed(db: Reader): Promise<void> {
  if ((await unconfirmedSince(db)) === null) {
    refuse('PRECONDITION_FAILED', 'The state is confirmed already. Nothing was changed')
  }
}

async function factsOf(db: Reader, engine: EngineView): Promise<Facts> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'installationId').executeTakeFirstOrThrow()
  return readFacts(db, engine, row.value)
}

const versionOf = (found: readonly Difference[]): string =>
  createHash('sha256').update(JSON.stringify(found)).digest('hex').slice(0, 16)

function toEntry(found: Difference) {
  const { reason, decisions: possible, ...difference } = found
  const texts = { reason: differenceMessage(reason), reasonCode: reason.reason }
  return { ...difference, ...texts, decisions: [...possible], credentials: credentialsOf(found) }
}

/** Returns a decision for each entry. Refuses a decision that an entry does not have, and an entry without one. */
function decide(found: Difference[], chosen: Record<string, Decision>, takesProposals: boolean): Decided[] {
  const open = found.filter((difference) => difference.proposal !== null)
  const unknownId = Object.keys(chosen).find((id) => !open.some(({ subjectId }) => subjectId === id))
  if (unknownId !== undefined) refuseField('decisions', `There is nothing to decide about ${unknownId}`)
  return open.map((difference) => {
    const { subjectId, name, proposal, decisions: possible } = difference
    const decision = chosen[subjectId] ?? (takesProposals ? proposal : null)
    if (decision === null) {
      refuseField('decisions', `${name} (${subjectId}) needs a decision: ${possible.join(' or ')}`)
    }
    if (!possible.includes(decision)) {
      refuseField('decisions', `${name} (${subjectId}) accepts only ${possible.join(' or ')}`)
    }
    return { difference, decision }
  })
}
