/** Commands that sign in and out, and that choose the installation. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { BerthError, type Client } from '../../client/client.ts'
import { readContexts, writeContexts } from '../contexts.ts'
import { CommandError } from '../exit.ts'
import { ask } from '../prompt.ts'
import { clientOf, type CommonOptions, type Session } from '../session.ts'

interface LoginOptions {
  email?: string
  name?: string
  ca?: string
  insecure?: boolean
  setupToken?: string
}

export function addLogin(program: Command, session: Session): void {
  program
    .command('login')
    .argument('<url>', 'where Berth is, for example https://berth.example.org')
    .description('sign in to an installation of Berth')
    .option('--email <address>', 'the e-mail address of your account')
    .option('--name <context>', 'the name of the context (the host of the URL)')
    .option('--ca <file>', 'PEM file with the certificate of the authority that signed the one of Berth')
    .option('--insecure', 'allow HTTP without TLS to another machine; passwords are readable on the way')
    .option('--setup-token <file>', 'file with the installation token, to create the first account')
    .action((url: string, options: LoginOptions) => login(session, url, options))
  program
    .command('logout')
    .description('end the session and forget its token')
    .action((_, command: Command) => logout(session, command.optsWithGlobals()))
  program
    .command('context')
    .argument('[name]', 'the context to use from now on')
    .description('list the installations that you are signed in to, or choose one')
    .action((name: string | undefined, _, command: Command) => chooseContext(session, name, command.optsWithGlobals()))
}

async function login(session: Session, url: string, options: LoginOptions): Promise<void> {
  const { env, output } = session
  const base = checkedUrl(url, options.insecure === true)
  const caFile = options.ca === undefined ? {} : { caFile: resolve(options.ca) }
  const client = clientOf({ url: base, token: null, ...caFile }, output)
  const email = options.email ?? (await ask('E-mail: '))
  const password = env.BERTH_PASSWORD ?? (await ask('Password: ', { isHidden: true }))
  const { accessToken, account } = await signIn(client, base, { email, password }, options)
  const known = readContexts(env)
  const name = options.name ?? new URL(base).host
  writeContexts(env, {
    current: name,
    contexts: { ...known.contexts, [name]: { url: base, token: accessToken, email: account.email, ...caFile } },
  })
  output.line(`Signed in to ${base} as ${account.email}.`)
}

async function signIn(client: Client, url: string, input: { email: string; password: string }, options: LoginOptions) {
  try {
    return await client.auth.signIn(input)
  } catch (error) {
    if (!(error instanceof BerthError)) throw error
    if (error.code === 'PRECONDITION_FAILED') return createAdministrator(url, input, options)
    if (!error.issues.some(({ path }) => path === 'code')) throw error
    return client.auth.signIn({ ...input, code: await ask('Code of your authenticator app: ') })
  }
}

/** The installation has no account yet. The installation token proves that the caller may create the first one. */
async function createAdministrator(
  url: string,
  input: { email: string; password: string },
  { setupToken, ca }: LoginOptions,
) {
  process.stderr.write('This Berth has no account yet. You become its administrator.\n')
  const token = setupToken === undefined ? localToken(url) : readFileSync(setupToken, 'utf8').trim()
  const installationToken = token ?? (await ask('Installation token (berth up prints the file): ', { isHidden: true }))
  const caFile = ca === undefined ? {} : { caFile: resolve(ca) }
  const note = { note: (text: string) => void process.stderr.write(`${text}\n`) }
  return clientOf({ url, token: installationToken, ...caFile }, note as never).auth.createAdmin(input)
}

/** The installation token of a Berth on this machine; null if its file cannot be read. */
function localToken(url: string): string | null {
  if (!isLoopback(new URL(url).hostname)) return null
  try {
    return readFileSync(join(process.env.BERTH_DATA ?? join(homedir(), '.berth'), 'access-token'), 'utf8').trim()
  } catch {
    return null
  }
}

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\./.test(host)

function checkedUrl(text: string, isInsecure: boolean): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`)
  if (url === null) throw new CommandError('usage', `'${text}' is no URL, for example https://berth.example.org`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isInsecure) {
    const hint = 'Use https, or allow it with --insecure if the network is trusted'
    throw new CommandError('usage', `${url.origin} has no TLS: others could read your password on the way`, hint)
  }
  return url.href.replace(/\/$/, '')
}

async function logout(session: Session, options: CommonOptions): Promise<void> {
  const known = readContexts(session.env)
  const name = options.context ?? known.current
  if (name === null || known.contexts[name] === undefined) throw new CommandError('usage', 'You are not signed in')
  // The token may have ended already.
  await session
    .open(options)
    .auth.logout({})
    .catch((error: unknown) => {
      if (!(error instanceof BerthError) || error.code !== 'UNAUTHORIZED') throw error
    })
  const { [name]: _, ...contexts } = known.contexts
  writeContexts(session.env, { current: Object.keys(contexts)[0] ?? null, contexts })
  session.output.line(`Signed out of ${name}.`)
}

async function chooseContext(
  { env, output }: Session,
  name: string | undefined,
  { json }: CommonOptions,
): Promise<void> {
  const { current, contexts } = readContexts(env)
  if (name !== undefined) {
    if (contexts[name] === undefined) {
      throw new CommandError(
        'notFound',
        `There is no context '${name}'. Known contexts: ${Object.keys(contexts).join(', ')}`,
      )
    }
    writeContexts(env, { current: name, contexts })
    return output.line(`Commands now go to ${contexts[name].url}.`)
  }
  const rows = Object.entries(contexts).map(([each, { url, email }]) => ({
    name: each,
    url,
    email,
    current: each === current,
  }))
  if (json === true) return output.json(rows)
  if (rows.length === 0) return output.note('You are not signed in. Sign in: berth login URL')
  output.table(
    ['', 'name', 'url', 'account'],
    rows.map((row) => [row.current ? '*' : '', row.name, row.url, row.email]),
  )
}
