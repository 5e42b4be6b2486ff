/** berth account: your own account, its second factor and its sessions. */
import { BerthError, type Client, type Operations } from '../../../client/client.ts'
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { readContexts, writeContexts } from '../../connection/contexts.ts'
import { CommandError } from '../../exit.ts'
import { findNamed } from '../../names.ts'
import { askNewSecret, confirmName } from '../../terminal/prompt.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { readableTime } from '../../terminal/size.ts'
import { askCode, askProof, proofNote, withProof } from './proof.ts'

type Account = Awaited<ReturnType<Operations['auth']['get']>>

const commands: CommandDeclaration[] = [
  { name: 'show', description: 'show your account', examples: ['berth account show'], run: show },
  {
    name: 'password',
    description: 'change your password; ends your other sessions and your API tokens',
    options: [['--keep-tokens', 'keep your API tokens valid']],
    notes: ['Asks for the present and the new password. In scripts, set BERTH_PASSWORD and BERTH_NEW_PASSWORD.'],
    examples: ['berth account password', 'berth account password --keep-tokens'],
    run: changePassword,
  },
  {
    name: 'email',
    description: 'change your e-mail address',
    arguments: [['<address>', 'the new e-mail address']],
    notes: ['Asks for your password. In scripts, set BERTH_PASSWORD.'],
    examples: ['berth account email you@example.org'],
    run: changeEmail,
  },
  {
    name: '2fa',
    description: 'turn the second factor of your account on or off',
    arguments: [['<on|off>', 'whether each sign-in needs a code of an authenticator app']],
    notes: [
      '`on` shows a QR code for the app, asks for a code, ends your other sessions and prints recovery codes once.',
      proofNote,
    ],
    examples: ['berth account 2fa on', 'berth account 2fa off'],
    run: setSecondFactor,
  },
  { name: 'sessions', description: 'list your sessions', examples: ['berth account sessions'], run: listSessions },
  {
    name: 'end-session',
    description: 'end one of your sessions',
    arguments: [['<session>', 'the id of the session, or its beginning (berth account sessions)']],
    examples: ['berth account end-session 01a2b3c4'],
    run: endSession,
  },
]

export const accountGroup: GroupDeclaration = {
  name: 'account',
  description: 'change your own account',
  notes: ['Needs a session: berth login. Apart from `show`, API tokens are not accepted.'],
  examples: ['berth account password', 'berth account 2fa on'],
  commands,
}

async function show({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const account = await open(options).auth.get()
  return {
    json: account,
    show: () =>
      output.fields([
        ['e-mail', account.email],
        ['role', account.rol],
        ['second factor', account.is2FAEnabled ? 'on' : 'off'],
        ['created', readableTime(account.createdAt)],
      ]),
  }
}

async function changePassword(session: Session, options: CommonOptions & { keepTokens?: true }): Promise<Outcome> {
  const client = session.open(options)
  const account = await client.auth.get()
  const proof = await askProof(session.env, account.is2FAEnabled)
  const password = await askNewSecret(session.env, 'BERTH_NEW_PASSWORD', 'New password')
  const revokeTokens = options.keepTokens !== true
  const changed = await client.auth.update({ email: account.email, password, revokeTokens, ...proof })
  const ended = revokeTokens ? 'Your other sessions and your API tokens have ended.' : 'Your other sessions have ended.'
  return { json: changed, show: () => session.output.line(`Changed the password of ${account.email}. ${ended}`) }
}

async function changeEmail(session: Session, options: CommonOptions, email: string): Promise<Outcome> {
  const client = session.open(options)
  const account = await client.auth.get()
  const changed = await client.auth.update({
    email,
    password: null,
    ...(await askProof(session.env, account.is2FAEnabled)),
  })
  rememberEmail(session, options, account.email, changed.email)
  return { json: changed, show: () => session.output.line(`You sign in as ${changed.email} from now on.`) }
}

/** The context shows the address that it was created with. */
function rememberEmail({ env }: Session, options: CommonOptions, former: string, email: string): void {
  const known = readContexts(env)
  const name = options.context ?? known.current ?? ''
  const context = known.contexts[name]
  if (context?.email !== former) return
  writeContexts(env, { ...known, contexts: { ...known.contexts, [name]: { ...context, email } } })
}

async function setSecondFactor(session: Session, options: CommonOptions, state: string): Promise<Outcome> {
  if (state !== 'on' && state !== 'off') throw new CommandError('usage', `'${state}' is neither on nor off`)
  const client = session.open(options)
  const account = await client.auth.get()
  if (account.is2FAEnabled === (state === 'on')) {
    throw new CommandError('failed', `The second factor of ${account.email} is ${state} already`)
  }
  return state === 'on' ? turnOn(session, client, account) : turnOff(session, client, account, options)
}

async function turnOn(session: Session, client: Client, { email }: Account): Promise<Outcome> {
  const { output } = session
  const { secret, otpauthUrl } = await client.auth.generate2FASecret()
  output.remark(await qrCode(otpauthUrl))
  output.remark(`Scan the code with your authenticator app, or enter the secret: ${secret}\n${otpauthUrl}`)
  const { recoveryCodes } = await confirmSecret(session, client, secret)
  return {
    json: { recoveryCodes },
    show() {
      output.remark(
        `The second factor of ${email} is on. Each of these recovery codes replaces a code once. Keep them:`,
      )
      for (const each of recoveryCodes) output.line(each)
    },
  }
}

/** White on black on every terminal: half blocks, two rows of the code in a line. */
async function qrCode(text: string): Promise<string> {
  // Loaded here, because no other command needs the package.
  const { default: encodeQR } = await import('qr')
  const lines = encodeQR(text, 'ascii', { ecc: 'low' }).trimEnd().split('\n')
  return lines.map((line) => `\x1b[97;40m${line}\x1b[0m`).join('\n')
}

const maxCodes = 3

/** Asks again after a wrong code. */
async function confirmSecret(session: Session, client: Client, secret: string) {
  for (let count = 1; ; count++) {
    const pin = await askCode()
    try {
      return await withProof(session, (proof) => client.auth.verify2FASetup({ secret, pin, ...proof }))
    } catch (error) {
      const isWrongCode = error instanceof BerthError && ['UNAUTHORIZED', 'BAD_REQUEST'].includes(error.code)
      if (!isWrongCode) throw error
      if (count === maxCodes) throw new CommandError('failed', `${error.message}. The second factor is still off`)
      session.output.remark(error.message)
    }
  }
}

async function turnOff(session: Session, client: Client, { email }: Account, { yes }: CommonOptions) {
  const effect = `This turns the second factor of ${email} off. The recovery codes become invalid.`
  await confirmName(effect, email, yes)
  const account = await withProof(session, (proof) => client.auth.disable2FA(proof))
  return { json: account, show: () => session.output.line(`The second factor of ${email} is off.`) }
}

async function listSessions({ open, output }: Session, options: CommonOptions): Promise<Outcome> {
  const sessions = await open(options).auth.sessions()
  return {
    json: sessions,
    show: () =>
      output.table(
        ['', 'session', 'from', 'signed in', 'last used', 'ends', 'second factor'],
        sessions.map((each) => [
          each.isCurrent ? '*' : '',
          each.sessionId,
          each.address,
          readableTime(each.createdAt),
          readableTime(each.lastUsedAt),
          readableTime(each.expiresAt),
          each.passed2FA ? 'passed' : '-',
        ]),
      ),
  }
}

async function endSession({ open, output }: Session, options: CommonOptions, id: string): Promise<Outcome> {
  const client = open(options)
  const { sessionId, address } = findNamed('session', id, await client.auth.sessions(), (each) => [each.sessionId])
  const ended = await client.auth.revokeSession({ sessionId })
  return { json: ended, show: () => output.line(`Ended the session ${sessionId} from ${address}.`) }
}
