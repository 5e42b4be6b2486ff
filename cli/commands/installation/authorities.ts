/** berth ca and berth authority: the certificate authorities of the installation. */
import type { Authority } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import { inCommands } from '../../terminal/words.ts'
import { confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'

export const caCommand: CommandDeclaration = {
  name: 'ca',
  description: 'print the certificates to trust for connections to databases and to Berth (PEM)',
  examples: ['berth ca > ca.pem'],
  run: printCa,
}

const names: readonly Authority['authority'][] = ['engines', 'installation']

export const authorityGroup: GroupDeclaration = {
  name: 'authority',
  description: 'manage the certificate authorities of the installation',
  examples: ['berth authority ls', 'berth authority rotate installation'],
  commands: [
    {
      name: 'ls',
      description: 'list the authorities with their generations and rotations',
      examples: ['berth authority ls'],
      run: list,
    },
    {
      name: 'rotate',
      description: 'replace the key and the certificate of an authority',
      arguments: [['<authority>', 'engines or installation']],
      options: [['--finish', 'all clients trust the new certificate: end the trust in the old one']],
      notes: [
        'Both generations are trusted during a rotation. Berth finishes a rotation of engines by itself. For',
        'installation, install the certificates of `berth ca` on all clients, and then use --finish.',
      ],
      examples: ['berth authority rotate engines', 'berth authority rotate installation --finish'],
      run: rotate,
    },
  ],
}

async function printCa({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const ca = await open(options).installation.ca()
  return { json: ca, show: () => output.line(ca.pem.trimEnd()) }
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const authorities = await open(options).installation.authorities()
  return {
    json: authorities,
    show() {
      output.table(
        ['authority', 'generation', 'state', 'expires', 'fingerprint (SHA-256)'],
        authorities.flatMap(({ authority, generations }) =>
          generations.map((each) => [
            authority,
            String(each.generation),
            output.styled(each.state === 'current' ? 'good' : 'busy', each.state),
            readableTime(each.notAfter),
            each.fingerprint256,
          ]),
        ),
      )
      for (const each of authorities) if (each.rotation !== null) output.remark(rotationText(each))
    },
  }
}

const rotationText = ({ authority, rotation }: Authority) => `${authority}: ${inCommands(rotation!.reason)}.`

async function rotate(
  { open, output }: Session,
  options: CommonOptions & { finish?: true },
  word: string,
): Promise<Outcome> {
  const authority = names.find((each) => each === word)
  if (authority === undefined)
    throw new CommandError('usage', `'${word}' is no authority. They are ${names.join(', ')}`)
  const finish = options.finish === true
  const client = open(options)
  if (finish) {
    const effect = 'Clients that trust only the old certificate will refuse the certificates that Berth issues.'
    await confirmName(effect, authority, options.yes)
  }
  const rotated = await client.installation.rotateAuthority({ authority, finish })
  const newest = rotated.generations.at(-1)!.generation
  return {
    json: rotated,
    show: () =>
      rotated.rotation === null
        ? output.line(`Generation ${newest} of ${authority} signs, and only its certificate is trusted.`)
        : output.line(rotationText(rotated)),
  }
}
