/** Tests of `berth account`. A terminal of its own (`script`, of every Debian) answers the questions of the second factor. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { contextsPath } from '../../cli/connection/contexts.ts'
import { codeAt } from '../../src/lib/crypto/totp.ts'
import { mainPath, startCommandLine } from './cli-fixture.ts'

let passedMs = 0
const cli = await startCommandLine({ now: () => new Date(Date.now() + passedMs) })
after(() => cli[Symbol.asyncDispose]())
const first = { BERTH_PASSWORD: 'correct horse battery' }

const { id, token } = JSON.parse(await cli.ok('user', 'invite', 'eve@example.org', '--json')) as Record<string, string>
await cli.command(['login', cli.url, '--invitation', id!, '--name', 'work'], {
  ...first,
  BERTH_INVITATION_TOKEN: token,
})

/** Runs a command with the session of the context `work`. */
const account = (...args: string[]) => cli.command(['account', ...args], first)

test('shows the account', async () => {
  const { status, stdout, stderr } = await account('show')
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^e-mail\seve@example\.org\nrole\suser\nsecond factor\soff\n/)
})

test('lists sessions and ends one of them', async () => {
  await cli.command(['login', cli.url, '--email', 'eve@example.org', '--name', 'other'], first)
  const list = await account('sessions')
  assert.match(list.stdout, /^\t\S+\t127\.0\.0\.1\t.*\n\*\t\S+\t127\.0\.0\.1\t/)
  const [, former] = /^\t(\S+)/.exec(list.stdout)!
  const ended = await account('end-session', former!)
  assert.deepEqual([ended.status, ended.stdout], [0, `Ended the session ${former} from 127.0.0.1.\n`], ended.stderr)
  assert.equal((await cli.command(['ls', '--context', 'work'], {})).status, 4)
  const again = await account('end-session', former!)
  assert.deepEqual([again.status, /There is no session/.test(again.stderr)], [3, true])
})

test('changes the password after the present one', async () => {
  const change = (env: NodeJS.ProcessEnv) => cli.command(['account', 'password'], env)
  const wrong = await change({ BERTH_PASSWORD: 'another password', BERTH_NEW_PASSWORD: 'staple and battery' })
  assert.equal(wrong.status, 4, wrong.stderr)
  const asked = await change(first)
  assert.deepEqual([asked.status, /Without a terminal, set BERTH_NEW_PASSWORD/.test(asked.stderr)], [2, true])
  const changed = await change({ ...first, BERTH_NEW_PASSWORD: 'staple and battery' })
  assert.equal(changed.status, 0, changed.stderr)
  assert.match(
    changed.stdout,
    /^Changed the password of eve@example\.org\. Your other sessions and your API tokens have ended\.$/m,
  )
})

test('changes the e-mail address, also in the context', async () => {
  const env = { BERTH_PASSWORD: 'staple and battery' }
  const changed = await cli.command(['account', 'email', 'Eva@example.org'], env)
  assert.deepEqual([changed.status, changed.stdout], [0, 'You sign in as Eva@example.org from now on.\n'])
  const { contexts } = JSON.parse(readFileSync(contextsPath({ XDG_CONFIG_HOME: cli.folder }), 'utf8')) as {
    contexts: { other: { email: string } }
  }
  assert.equal(contexts.other.email, 'Eva@example.org')
})

/** Runs a command in a terminal. `answer` returns what to type after the text that was printed so far. */
async function inTerminal(args: string[], answer: (printed: string) => string | null): Promise<string> {
  const options = { NODE_OPTIONS: '--disable-warning=ExperimentalWarning', XDG_CONFIG_HOME: cli.folder }
  // The shell takes the path from a variable, because the path can contain spaces.
  const child = spawn('script', ['-qec', `node "$BERTH_MAIN" ${args.join(' ')}`, '/dev/null'], {
    env: { ...process.env, ...options, BERTH_MAIN: mainPath },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let [printed, read] = ['', 0]
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
    const text = answer(stripVTControlCharacters(printed.slice(read)))
    if (text === null) return
    read = printed.length
    child.stdin.write(`${text}\n`)
  })
  const [status] = await once(child, 'close')
  assert.equal(status, 0, printed)
  return stripVTControlCharacters(printed)
}

test('turns the second factor on with a code of the app, and off again', async () => {
  let [secret, codes] = ['', 0]
  const printed = await inTerminal(['account', '2fa', 'on'], (text) => {
    secret = /enter the secret: (\w+)/.exec(text)?.[1] ?? secret
    if (!text.includes('Code of your authenticator app: ')) return null
    return codes++ === 0 ? '000000' : codeAt(secret, new Date())
  })
  assert.match(printed, /otpauth:\/\/totp\/Berth:Eva%40example\.org\?/)
  assert.match(printed, /█▀▀▀▀▀█|█ ▄▄▄▄▄ █/, 'a QR code')
  assert.match(printed, /The code doesn't match/)
  assert.match(printed, /is on\. Each of these recovery codes[^\n]*\n(?:\S+\r?\n){10}$/)
  assert.match((await account('show')).stdout, /^second factor\son$/m)
  const again = await account('2fa', 'on')
  assert.deepEqual([again.status, /is on already/.test(again.stderr)], [1, true])
  const off = await account('2fa', 'off', '--yes')
  assert.deepEqual([off.status, off.stdout], [0, 'The second factor of Eva@example.org is off.\n'], off.stderr)
})

test('takes only on and off, and no API token', async () => {
  const wrong = await account('2fa', 'no')
  assert.deepEqual([wrong.status, /'no' is neither on nor off/.test(wrong.stderr)], [2, true])
  const created = await cli.command(['token', 'create', 'ci', '--scope', 'admin', '--json'], {})
  const { token: apiToken } = JSON.parse(created.stdout) as { token: string }
  const refused = await cli.command(['account', 'sessions'], { BERTH_URL: cli.url, BERTH_TOKEN: apiToken })
  assert.equal(refused.status, 4, refused.stderr)
})

test('asks for the password before it creates a token in an older session, and repeats the call', async () => {
  passedMs += 10 * 60_000
  const create = (env: NodeJS.ProcessEnv) => cli.command(['token', 'create', 'later', '--scope', 'read'], env)
  const asked = await create({})
  assert.deepEqual([asked.status, /Without a terminal, set BERTH_PASSWORD/.test(asked.stderr)], [2, true], asked.stderr)
  const wrong = await create({ BERTH_PASSWORD: 'another password' })
  assert.equal(wrong.status, 4, wrong.stderr)
  const created = await create({ BERTH_PASSWORD: 'staple and battery' })
  assert.deepEqual([created.status, /^berth_api_/m.test(created.stdout)], [0, true], created.stderr)
})

test('asks for the password in `berth api`, too', async () => {
  const generate = (env: NodeJS.ProcessEnv) => cli.command(['api', 'auth.generateToken'], env)
  const asked = await generate({})
  assert.deepEqual([asked.status, /Without a terminal, set BERTH_PASSWORD/.test(asked.stderr)], [2, true], asked.stderr)
  const generated = await generate({ BERTH_PASSWORD: 'staple and battery' })
  assert.deepEqual([generated.status, /"berth_api_/.test(generated.stdout)], [0, true], generated.stderr)
})

test('a new password keeps the API tokens with --keep-tokens', async () => {
  const env = { BERTH_PASSWORD: 'staple and battery', BERTH_NEW_PASSWORD: 'battery and staple' }
  const changed = await cli.command(['account', 'password', '--keep-tokens'], env)
  assert.match(changed.stdout, /Your other sessions have ended\.$/m, changed.stderr)
  assert.match((await cli.command(['token', 'ls'], {})).stdout, /^later\sread/m)
})

test('others who guess passwords do not delay a sign-in from this machine', async () => {
  const signIn = (env: NodeJS.ProcessEnv) =>
    cli.command(['login', cli.url, '--email', 'eva@example.org', '--name', 'again'], env)
  const right = { BERTH_PASSWORD: 'battery and staple' }
  const guess = { email: 'eva@example.org', password: 'not the password' }
  for (let count = 0; count < 10; count++) await cli.berth.call('auth.signIn', guess, null)
  assert.equal((await cli.berth.call('auth.signIn', { ...guess, password: right.BERTH_PASSWORD }, null)).status, 429)
  const again = await signIn(right)
  assert.equal(again.status, 0, again.stderr)
  const newMachine = await signIn({ ...right, XDG_CONFIG_HOME: `${cli.folder}/new-machine` })
  assert.notEqual(newMachine.status, 0)
})
