/** berth login and berth logout. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { BerthError } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { contextNamed, readContexts, writeContexts } from '../../connection/contexts.ts'
import { CommandError, exitClassOf } from '../../exit.ts'
import { ask, askNewSecret, askSecret } from '../../terminal/prompt.ts'
import { checkInstallation } from '../../connection/installation-proof.ts'
import { isNewInstallation } from '../../connection/probe.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { textFile } from '../../text-file.ts'

interface LoginOptions extends CommonOptions {
  email?: string
  name?: string
  ca?: string
  insecure?: true
  tokenFile?: string
  invitation?: string
}

export const loginCommand: CommandDeclaration = {
  name: 'login',
  description: 'sign in to an installation of Berth; the first one to do so becomes its administrator',
  arguments: [['<url>', 'where Berth is, for example https://berth.example.org']],
  options: [
    ['--email <address>', 'the e-mail address of your account'],
    ['--name <context>', 'the name of the context (the host of the URL)'],
    ['--ca <file>', 'PEM file with the certificate of the authority that signed the one of Berth'],
    ['--insecure', 'allow HTTP without TLS to another machine; passwords are readable on the way'],
    ['--token-file <file>', 'file with the installation token, to create the first account from another machine'],
    ['--invitation <id>', 'create your account with an invitation (berth user invite)'],
  ],
  notes: ['Asks for the password, and for a code if the account has a second factor. In scripts, set BERTH_PASSWORD.'],
  examples: [
    'berth login http://127.0.0.1:3000',
    'berth login https://berth.example.org --email you@example.org --name production',
  ],
  run: login,
}

export const logoutCommand: CommandDeclaration = {
  name: 'logout',
  description: 'end the session and forget its token',
  examples: ['berth logout', 'berth logout --context production'],
  run: logout,
}

interface SignedIn {
  accessToken: string
  deviceToken: string
  account: { email: string }
}

async function login(session: Session, options: LoginOptions, url: string): Promise<Outcome> {
  const { env, output } = session
  const base = checkedUrl(url, options.insecure === true)
  const caFile = options.ca === undefined ? {} : { caFile: readableFile('--ca', options.ca) }
  const target = { url: base, ...caFile }
  const { accessToken, deviceToken, account } = await enter(session, target, options).catch((error: unknown) => {
    if (!(error instanceof BerthError)) throw error
    // Otherwise the refusal would be told as that of the present context.
    const hint = error.code === 'CONNECTION_LOST' ? 'Is Berth running there?' : null
    throw new CommandError(exitClassOf(error), error.message, hint)
  })
  const known = readContexts(env)
  const name = options.name ?? new URL(base).host
  const context = { ...target, token: accessToken, email: account.email }
  const devices = { ...known.devices, [base]: deviceToken }
  writeContexts(env, { current: name, contexts: { ...known.contexts, [name]: context }, devices })
  return {
    json: { context: name, url: base, email: account.email },
    show: () => output.line(`Signed in to ${base} as ${account.email}.`),
  }
}

type LoginTarget = { url: string; caFile?: string }

async function enter(session: Session, target: LoginTarget, options: LoginOptions): Promise<SignedIn> {
  const isNew = await isNewInstallation(session, target)
  if (options.invitation !== undefined) return acceptInvitation(session, target, options.invitation)
  return isNew ? createAdministrator(session, target, options) : signIn(session, target, options)
}

/** '' asks Berth for a device token. */
const deviceTokenOf = ({ env }: Session, { url }: LoginTarget) => readContexts(env).devices[url] ?? ''

const emailOf = async ({ email }: LoginOptions) =>
  email ?? (await ask('E-mail: ', { instead: 'give --email ADDRESS' })).trim()

async function signIn(session: Session, target: LoginTarget, options: LoginOptions): Promise<SignedIn> {
  const client = session.connect({ ...target, token: null })
  const email = await emailOf(options)
  const password = await askSecret(session.env, 'BERTH_PASSWORD', 'Password')
  const input = { email, password, deviceToken: deviceTokenOf(session, target) }
  try {
    return await client.auth.signIn(input)
  } catch (error) {
    if (!(error instanceof BerthError)) throw error
    // An installation that is not ready does not say before this call that it is new.
    if (error.code === 'PRECONDITION_FAILED') return createAdministrator(session, target, { ...options, email })
    if (!error.issues.some(({ path }) => path === 'code')) throw error
    return client.auth.signIn({ ...input, code: await ask('Code of your authenticator app: ') })
  }
}

/** The installation has no account yet. The installation token proves that the caller may create the first one. */
async function createAdministrator(session: Session, target: LoginTarget, options: LoginOptions): Promise<SignedIn> {
  const { connect, env, output } = session
  output.remark('This Berth has no account yet. Choose the e-mail address and password of its administrator.')
  const stored =
    options.tokenFile === undefined ? localToken(target.url, env) : textFile('--token-file', options.tokenFile).trim()
  const email = await emailOf(options)
  const password = await askNewSecret(env, 'BERTH_PASSWORD', 'Password')
  const token = stored ?? (await askSecret(env, 'BERTH_ACCESS_TOKEN', 'Installation token (berth up names its file)'))
  await checkInstallation(target.url, token, isLoopback(new URL(target.url).hostname))
  return connect({ ...target, token }).auth.createAdmin({
    email,
    password,
    deviceToken: deviceTokenOf(session, target),
  })
}

/** The installation token of a Berth on this machine; null if its file cannot be read. */
function localToken(url: string, env: NodeJS.ProcessEnv): string | null {
  if (!isLoopback(new URL(url).hostname)) return null
  try {
    return readFileSync(join(env.BERTH_DATA ?? join(homedir(), '.berth'), 'access-token'), 'utf8').trim()
  } catch {
    return null
  }
}

async function acceptInvitation(session: Session, target: LoginTarget, id: string): Promise<SignedIn> {
  const { connect, env } = session
  const token = await askSecret(env, 'BERTH_INVITATION_TOKEN', 'Token of the invitation')
  const password = await askNewSecret(env, 'BERTH_PASSWORD', 'New password')
  const deviceToken = deviceTokenOf(session, target)
  return connect({ ...target, token }).auth.createUser({ id, token, password, deviceToken })
}

function readableFile(option: string, path: string): string {
  try {
    readFileSync(path)
    return resolve(path)
  } catch (error) {
    throw new CommandError('usage', `${option}: ${path} cannot be read: ${(error as Error).message}`)
  }
}

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\./.test(host)

function checkedUrl(text: string, isInsecure: boolean): string {
  const url = URL.parse(/^[a-z]+:\/\//.test(text) ? text : `https://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError('usage', `'${text}' is no URL, for example https://berth.example.org`)
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isInsecure) {
    const hint = 'Use https, or allow it with --insecure if the network is trusted'
    throw new CommandError('usage', `${url.origin} has no TLS: others could read your password on the way`, hint)
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

async function logout(session: Session, options: CommonOptions): Promise<Outcome> {
  const known = readContexts(session.env)
  const name = options.context ?? known.current
  if (name === null) throw new CommandError('usage', 'You are not signed in')
  const { url, token, caFile } = contextNamed(known, name)
  const client = session.connect({ url, token, ...(caFile === undefined ? {} : { caFile }) })
  // The session may have ended already.
  await client.auth.logout({}).catch((error: unknown) => {
    if (!(error instanceof BerthError) || error.code !== 'UNAUTHORIZED') throw error
  })
  const { [name]: _, ...contexts } = known.contexts
  const current = name === known.current ? null : known.current
  writeContexts(session.env, { ...known, current, contexts })
  return { json: { context: name }, show: () => session.output.line(`Signed out of ${name}.`) }
}
