/** berth destination add-sftp: adds a folder of an SFTP server as a destination. */
import { readFileSync } from 'node:fs'
import { Option } from 'commander'
import type { Client } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { CommandError } from '../../exit.ts'
import { ask, askSecret } from '../../terminal/prompt.ts'

interface AddOptions extends CommonOptions {
  host: string
  user: string
  folder: string
  hostKey?: string
  keyFile?: string
  test: boolean
}

const needed = (flags: string, about: string) => new Option(flags, about).makeOptionMandatory()

export const addSftp: CommandDeclaration = {
  name: 'add-sftp',
  description: 'add a folder of an SFTP server',
  arguments: [['<name>', 'the name of the destination']],
  options: [
    needed('--host <host>', 'the host, with its port if that is not 22'),
    needed('--user <name>', 'the user; the password is asked for, or taken from BERTH_SECRET_KEY'),
    needed('--folder <path>', 'the absolute path of a folder on the server'),
    ['--host-key <fingerprint>', 'the fingerprint of the host key (shown and asked for)'],
    ['--key-file <file>', 'a private key without a passphrase, instead of a password'],
    ['--no-test', 'do not write, read and delete a probe object before'],
  ],
  examples: ['berth destination add-sftp nas --host nas.example.org --user berth --folder /srv/backups'],
  run: add,
}

async function add({ open, output, env }: Session, options: AddOptions, name: string): Promise<Outcome> {
  const { host: endpoint, user: accessKey, folder: bucket, keyFile } = options
  const client = open(options)
  const secretAccessKey =
    keyFile === undefined ? await askSecret(env, 'BERTH_SECRET_KEY', 'Password') : readKey(keyFile)
  const input = { name, kind: 'sftp', endpoint, bucket, region: '', accessKey, secretAccessKey } as const
  const hostKey = options.hostKey ?? (await confirmedHostKey(client, input))
  if (options.test) await client.destination.testConnection({ ...input, hostKey })
  const created = await client.destination.create({ ...input, hostKey })
  const tested = options.test ? ' A probe object was written, read and deleted.' : ''
  return { json: created, show: () => output.line(`Added ${name}.${tested}`) }
}

function readKey(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new CommandError('usage', `The private key ${path} cannot be read. Nothing was changed`)
  }
}

type TestInput = Parameters<Client['destination']['testConnection']>[0]

/** Shows the host key of the server. @returns it, if the person accepts it */
async function confirmedHostKey(client: Client, input: TestInput): Promise<string> {
  const { hostKey, message } = await client.destination.testConnection({ ...input, report: true })
  if (hostKey === undefined) throw new CommandError('failed', `${message}. Nothing was changed`)
  const hint = `Compare it with the key on the server (ssh-keygen -lf FILE), and give it with --host-key ${hostKey}`
  if (process.stdin.isTTY !== true) {
    throw new CommandError('usage', `The server shows the host key ${hostKey}. Nothing was changed`, hint)
  }
  const answer = await ask(`The server shows the host key ${hostKey}.\nType yes if the server has this key: `)
  if (answer.trim() === 'yes') return hostKey
  throw new CommandError('failed', 'The host key was not confirmed. Nothing was changed', hint)
}
