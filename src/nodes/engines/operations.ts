/** The operation that replaces Berth's client certificate for the engines of other nodes. */
import { z } from 'zod'
import { type ActionContext, action } from '../../api/contract.ts'
import { answeredIdOf } from '../../api/fields.ts'
import { ReasonCode } from '../../deployments/fields.ts'
import * as deployments from '../../deployments/queries.ts'
import { reasonAnswer } from '../../deployments/reason-message.ts'
import { refuse } from '../../errors.ts'
import type { Reader, Writer } from '../../store/schema.ts'
import { issueAccess } from './certificates.ts'
import { insertAccess, readAccess, retireAccess } from './queries.ts'
import { accessSubject, runningRotation } from './rotation.ts'

const Rotation = z.object({
  deploymentId: answeredIdOf('deployment that replaces the certificate; see deployment.all'),
  state: z.enum(['running', 'done']).describe('done: no node accepts an earlier certificate'),
  reason: z.string().nullable().describe('Which nodes still have to change, or change later because they are down'),
  reasonCode: ReasonCode,
  fingerprint: z.string().describe('SHA-256 of the new certificate, hexadecimal'),
})

export const rotateEngineAccess = action({
  name: 'cluster.rotateEngineAccess',
  summary: "Replace the client certificate with which Berth calls the engines of the swarm's other nodes",
  description:
    'Whoever has this certificate and its key is root on every node. Without `immediately`, each node changes when no ' +
    'backup, restore, move or session uses its engine, and meanwhile accepts both certificates. With `immediately`, ' +
    'every node refuses the earlier certificates at once, and work on the nodes is interrupted and repeated: use this ' +
    'if somebody may have the key. `Prefer: wait` waits until no node accepts an earlier certificate. Berth also renews ' +
    'the certificate by itself before it expires.',
  access: 'admin:admin',
  input: z.object({
    immediately: z
      .boolean()
      .default(false)
      .describe('Revokes the earlier certificates at once, although work on the nodes is interrupted'),
  }),
  output: Rotation,
  refusals: ['CONFLICT'],
  async run(context, { immediately }) {
    const issued = await issueAccess(context)
    return context.conclude(async (tx, wake, follow) => {
      const running = await runningRotation(tx)
      const hasNext = (await readAccess(tx)).some(({ state }) => state === 'next')
      if ((running !== null || hasNext) && !immediately) {
        refuse(
          'CONFLICT',
          'The certificate is being replaced already. Wait for the end, or send immediately: true to revoke the ' +
            'earlier certificates now',
        )
      }
      const at = context.now()
      if (running !== null) await deployments.supersede(tx, running.id, at)
      await store(context, tx, issued, immediately)
      const deploymentId = context.newId()
      await deployments.begin(tx, { id: deploymentId, action: 'rotateEngineAccess', subject: accessSubject }, at)
      wake('engines')
      follow(deploymentId)
      return { deploymentId, state: 'running' as const, ...reasonAnswer(null), fingerprint: issued.fingerprint }
    })
  },
  finalAnswer: async ({ db }, _input, [deploymentId = '']) => {
    const { state, reason } = await deployments.get(db, deploymentId)
    const rotationState = state === 'done' ? ('done' as const) : ('running' as const)
    return { deploymentId, state: rotationState, ...reasonAnswer(reason), fingerprint: await newestFingerprint(db) }
  },
})

async function store(
  { vault, now }: ActionContext,
  tx: Writer,
  issued: Awaited<ReturnType<typeof issueAccess>>,
  immediately: boolean,
): Promise<void> {
  const access = await readAccess(tx)
  const fingerprints = access.map(({ fingerprint }) => fingerprint)
  if (immediately && fingerprints.length > 0) await retireAccess(tx, fingerprints, 'revoked')
  const hasCurrent = !immediately && access.some(({ state }) => state === 'current')
  await insertAccess(tx, vault, hasCurrent ? 'next' : 'current', issued, now())
}

async function newestFingerprint(db: Reader): Promise<string> {
  const access = await readAccess(db)
  const newest = access.find(({ state }) => state === 'next') ?? access.find(({ state }) => state === 'current')
  return newest?.fingerprint ?? ''
}
