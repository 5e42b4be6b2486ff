/** berth certificate: the certificates that you upload for the proxy. */
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import { findNamed } from '../../names.ts'
import { confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { textFile } from '../../text-file.ts'

interface AddOptions extends CommonOptions {
  cert?: string
  key?: string
  autoRenew?: true
}

const commands: CommandDeclaration[] = [
  {
    name: 'ls',
    description: 'list uploaded certificates, and those that the proxy obtains by ACME',
    examples: ['berth certificate ls'],
    run: list,
  },
  {
    name: 'add',
    description: 'upload a certificate with its key; the proxy serves it for the names in it',
    arguments: [['<name>', 'the name of the certificate']],
    options: [
      ['--cert <file>', 'PEM file with the certificate and its chain'],
      ['--key <file>', 'PEM file with the private key'],
      ['--auto-renew', 'let the proxy obtain a new certificate by ACME before this one ends'],
    ],
    examples: ['berth certificate add shop --cert shop.pem --key shop.key --auto-renew'],
    run: add,
  },
  {
    name: 'rm',
    description: 'remove an uploaded certificate',
    arguments: [['<certificate>', 'the name or the id of the certificate']],
    examples: ['berth certificate rm shop'],
    run: remove,
  },
]

export const certificateGroup: GroupDeclaration = {
  name: 'certificate',
  description: 'manage certificates of the proxy',
  examples: ['berth certificate ls', 'berth certificate add shop --cert shop.pem --key shop.key'],
  commands,
}

async function list({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const client = open(options)
  const [certificates, applications] = await Promise.all([client.certificates.all(), client.application.all()])
  const issuances = applications.flatMap((each) => each.issuances)
  const daysText = (days: number) => output.styled(days < 0 ? 'bad' : days < 14 ? 'busy' : 'good', `${days} days`)
  const daysUntil = (at: string) => Math.floor((Date.parse(at) - Date.now()) / 86_400_000)
  return {
    json: { certificates, issuances },
    show() {
      if (certificates.length + issuances.length === 0) {
        output.remark('There are no certificates. Upload one, or give an application the label berth.tls=auto')
      }
      output.table(
        ['certificate', 'names', 'issuer', 'valid for', 'problem'],
        [
          ...certificates.map((each) => [
            each.name,
            each.names.join(', '),
            each.issuer,
            daysText(each.daysLeft),
            each.renewal?.error ?? missing(each),
          ]),
          ...issuances.map((each) => [
            'ACME',
            each.name,
            '-',
            each.notAfter === null ? output.styled('busy', 'none yet') : daysText(daysUntil(each.notAfter)),
            each.error ?? '',
          ]),
        ],
      )
    },
  }
}

const missing = ({ missingIssuer }: { missingIssuer: string | null }) =>
  missingIssuer === null ? '' : `the certificate of the issuer ${missingIssuer} is missing: upload the full chain`

async function add({ open, output }: Session, options: AddOptions, name: string): Promise<Outcome> {
  const certificateData = pemFile('--cert', options.cert)
  const privateKey = pemFile('--key', options.key)
  const autoRenew = options.autoRenew === true
  const created = await open(options).certificates.create({ name, certificateData, privateKey, autoRenew })
  const text = `Added ${name} for ${created.names.join(', ')}. It is valid for ${created.daysLeft} days.`
  return {
    json: created,
    show() {
      output.line(text)
      if (created.missingIssuer !== null) output.remark(`Many clients will refuse it: ${missing(created)}`)
    },
  }
}

function pemFile(option: string, path: string | undefined): string {
  if (path === undefined) throw new CommandError('usage', `${option} is missing: a PEM file`)
  return textFile(option, path)
}

async function remove({ open, output }: Session, options: CommonOptions, name: string): Promise<Outcome> {
  const client = open(options)
  const found = findNamed('certificate', name, await client.certificates.all(), (each) => [
    each.name,
    each.certificateId,
  ])
  await confirmName(`This removes the certificate for ${found.names.join(', ')} and its key.`, found.name, options.yes)
  const removed = await client.certificates.remove({ certificateId: found.certificateId })
  return { json: removed, show: () => output.line(`Removed ${found.name}.`) }
}
