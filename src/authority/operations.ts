/** The operations on the certificate authorities: their certificates, and their rotation. */
import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { action, query } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import type { Writer } from '../store/schema.ts'
import { bundleOf, currentOf, newGeneration, organizationOf } from './issue.ts'
import { generationsOf, insertGeneration, isUnchanged, removeRetiring, switchSigning } from './queries.ts'
import { rotationReason, rotationStep } from './rotation.ts'
import { rotationMessage, rotationReasons } from './rotation-message.ts'
import { type AuthorityName, authorityNames, type AuthorityTable, generationStates } from './table.ts'

const Generation = z.object({
  generation: z.number().describe('The number of the generation: 1, 2, 3 and so on'),
  fingerprint256: z
    .string()
    .describe('The SHA-256 fingerprint of its certificate: bytes in hexadecimal, separated by colons'),
  notBefore: z.string().describe('The time from which the certificate is valid'),
  notAfter: z.string().describe('The time at which the certificate expires'),
})

const Ca = z
  .object({
    pem: z.string().describe('The certificates to install on clients (PEM). Two certificates during a rotation'),
    certificates: z.array(Generation).describe('The same certificates, oldest first'),
  })
  .meta({ title: 'InstallationCa' })

const Authority = z
  .object({
    authority: z
      .enum(authorityNames)
      .describe('engines: only for the engine ports of nodes. installation: for databases and Berth'),
    generations: z
      .array(
        z.object({
          ...Generation.shape,
          state: z
            .enum(generationStates)
            .describe(
              'current: signs. next: trusted, and will sign. retiring: trusted until its certificates are replaced',
            ),
          createdAt: z.string().describe('When Berth created the generation'),
        }),
      )
      .describe('The generations that are trusted, oldest first. More than one during a rotation'),
    rotation: z
      .object({
        reason: z.string().describe('What the rotation waits for'),
        reasonCode: z.enum(rotationReasons).describe('The code of the reason, for programs'),
      })
      .nullable()
      .describe('The rotation under way; null if there is none'),
  })
  .meta({ title: 'Authority' })

const keyText = 'Berth seals the keys of its authorities in the store, and no operation returns them.'

export const ca = query({
  name: 'installation.ca',
  summary: 'Read the certificates to trust for connections to databases and to Berth',
  description:
    'Install `pem` on clients. During a rotation it has two certificates: clients have to trust both until the ' +
    'rotation is finished.',
  access: 'user:read',
  input: z.object({}),
  output: Ca,
  async run({ db }) {
    const generations = await generationsOf(db, 'installation')
    return { pem: bundleOf(generations), certificates: generations.map(toGeneration) }
  },
})

export const authorities = query({
  name: 'installation.authorities',
  summary: 'List the certificate authorities of the installation',
  description: `One authority signs only for the engine ports of nodes, the other for databases and Berth. ${keyText}`,
  access: 'admin:read',
  input: z.object({}),
  output: z.array(Authority),
  async run({ db }) {
    const list: z.input<typeof Authority>[] = []
    for (const name of authorityNames) list.push(toAuthority(name, await generationsOf(db, name)))
    return list
  },
})

export const rotateAuthority = action({
  name: 'installation.rotateAuthority',
  summary: 'Replace the key and the certificate of an authority, with a time in which both are trusted',
  description:
    'The call creates a new generation, which is trusted at once, while the present one still signs. Berth finishes a ' +
    'rotation of `engines` by itself. For `installation`, install the certificates of installation.ca on all clients, ' +
    'and then call this with `finish`: the new generation signs, and the old one is no longer trusted.',
  access: 'admin:session',
  input: z.object({
    authority: z
      .enum(authorityNames, 'must be engines or installation')
      .describe('The authority to rotate: engines or installation'),
    finish: z
      .boolean('must be true or false')
      .default(false)
      .describe('Only for installation: finish the rotation under way, because all clients trust the new generation'),
  }),
  output: Authority,
  refusals: ['CONFLICT', 'PRECONDITION_FAILED'],
  async run({ db, vault, now, conclude }, { authority: name, finish }) {
    if (finish) return conclude((tx) => finishRotation(tx, name))
    const generations = await generationsOf(db, name)
    if (rotationStep(generations) !== null) refuseUnderWay(name)
    const current = currentOf(generations)
    const generation = current.generation + 1
    const created = await newGeneration(name, generation, organizationOf(current), now())
    return conclude(async (tx, wake) => {
      if (!isUnchanged(await generationsOf(tx, name), current)) refuseUnderWay(name)
      await insertGeneration(tx, vault, { name, generation, state: 'next' }, created, now())
      if (name === 'engines') wake('engines')
      return toAuthority(name, await generationsOf(tx, name))
    })
  },
})

/** Makes the next generation of `installation` sign, and ends the trust in the old one. */
async function finishRotation(tx: Writer, name: AuthorityName) {
  if (name !== 'installation') {
    refuseField('finish', 'must be false for this authority, whose rotation Berth finishes by itself')
  }
  if (rotationStep(await generationsOf(tx, name)) === null) {
    refuse('PRECONDITION_FAILED', `No rotation of the authority ${name} is under way. Begin one without finish`)
  }
  await switchSigning(tx, name)
  await removeRetiring(tx, name)
  return toAuthority(name, await generationsOf(tx, name))
}

function refuseUnderWay(name: AuthorityName): never {
  const next = name === 'installation' ? 'Finish it first' : 'Wait for its end'
  refuse('CONFLICT', `A rotation of the authority ${name} is under way. ${next}`)
}

function toAuthority(name: AuthorityName, generations: readonly AuthorityTable[]): z.input<typeof Authority> {
  const reason = rotationReason(name, generations)
  return {
    authority: name,
    generations: generations.map((row) => ({ ...toGeneration(row), state: row.state, createdAt: row.createdAt })),
    rotation: reason === null ? null : { reason: rotationMessage(reason), reasonCode: reason.reason },
  }
}

function toGeneration({ generation, certificatePem }: AuthorityTable) {
  const { fingerprint256, validFromDate, validToDate } = new X509Certificate(certificatePem)
  return { generation, fingerprint256, notBefore: validFromDate.toISOString(), notAfter: validToDate.toISOString() }
}
