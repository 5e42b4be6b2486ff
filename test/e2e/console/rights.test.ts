/** The console of accounts with rights by project, and the question for a code before a dangerous call. */
import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { codeAt } from '../../../src/lib/crypto/totp.ts'
import { assertAccessible } from './accessibility.ts'
import { newPerson, signedIn, startBrowser } from './browser.ts'
import { administrator, createAccount, startConsoleBerth } from './console-berth.ts'

const end = new AsyncDisposableStack()
after(() => end.disposeAsync())
const berth = await startConsoleBerth(end)
await berth.signIn()
const browser = await startBrowser(end)
const { projectId } = await berth.ok<{ projectId: string }>('project.create', { name: 'shop' })
const { redisId } = await berth.ok<{ redisId: string }>('redis.create', {
  ...{ name: 'cache', appName: 'rights-cache', projectId, dockerImage: 'redis:8', databasePassword: 'a-secret' },
})
const { postgresId } = await berth.ok<{ postgresId: string }>('postgres.create', {
  ...{
    name: 'orders',
    appName: 'rights-orders',
    projectId,
    dockerImage: 'postgres:17',
    databaseName: 'orders',
    databaseUser: 'orders',
    databasePassword: 'a-secret',
  },
})
await berth.ok('project.create', { name: 'blog' })
const password = 'a password of Eve'

test('an invitation to one project gives a console with this project only, which names the missing role', async (t) => {
  const ada = await signedIn(await newPerson(t, browser, berth.base), '/people')
  await ada.page.getByRole('button', { name: 'Invite a person' }).first().click()
  await ada.page.getByLabel('E-mail').fill('eve@example.org')
  await ada.page.getByLabel('Only some projects').check()
  await ada.page.getByLabel('shop').selectOption('viewer')
  const answered = ada.page.waitForResponse(/user\.invite$/)
  await ada.page.getByRole('button', { name: 'Make the invitation' }).click()
  const invitation = (await (await answered).json()) as { id: string; token: string }
  await createAccount(berth.base, invitation, password)

  const eve = await signedIn(await newPerson(t, browser, berth.base), '/projects', {
    email: 'eve@example.org',
    password,
  })
  await eve.page.getByRole('link', { name: 'shop' }).click()
  await eve.page.getByText('eve@example.org').nth(1).waitFor()
  const rename = eve.page.getByRole('button', { name: 'Rename or describe' })
  await eve.page
    .getByText('This needs the role owner in the project. Your role is viewer')
    .first()
    .waitFor({ state: 'attached' })
  assert.equal(await rename.getAttribute('aria-disabled'), 'true')
  await assertAccessible(eve, 'project-of-a-viewer', { isBrief: true })
  assert.equal(await eve.page.getByRole('link', { name: 'Registries' }).count(), 0)
  await eve.page.goto('/projects')
  await eve.settled()
  assert.equal(await eve.page.getByText('blog').count(), 0)

  await ada.page.goto(`/projects/${projectId}`)
  await ada.page.getByRole('button', { name: 'Change the role' }).click()
  await ada.page.getByLabel('Role', { exact: true }).selectOption('owner')
  await ada.page.locator('dialog').getByRole('button', { name: 'Change the role' }).click()
  await ada.page.getByRole('cell', { name: 'owner', exact: true }).waitFor()
})

const member = async (t: TestContext, role: string) => {
  const email = `${role}@example.org`
  const invitation = await berth.ok<{ id: string; token: string }>('user.invite', {
    ...{ email, projects: [{ projectId, role }] },
  })
  await createAccount(berth.base, invitation, password)
  return await signedIn(await newPerson(t, browser, berth.base), '/', { email, password })
}

/** The buttons that the person cannot use, each with the reason. */
const unavailable = (page: Page) =>
  page.locator('main button[aria-disabled=true]:visible').evaluateAll((buttons) => {
    const reasonOf = (button: Element) => document.getElementById(button.getAttribute('aria-describedby') ?? '')
    return Object.fromEntries(buttons.map((button) => [button.textContent, reasonOf(button)?.textContent]))
  })

const lacks = (needed: string, role: string) => `This needs the role ${needed} in the project. Your role is ${role}`

test('a viewer reads, and each button says which role it needs', async (t) => {
  const tab = await member(t, 'viewer')
  const { page } = tab
  const open = async (path: string) => {
    await page.goto(path)
    await tab.settled()
    return await unavailable(page)
  }
  const create = { 'New database': 'This needs the role owner in a project' }
  assert.deepEqual(await open('/'), create)
  assert.deepEqual(await open('/databases'), create)
  assert.deepEqual(await open('/projects'), { 'New project': 'This needs an account that reaches all projects' })
  const state = await open(`/databases/${redisId}/state`)
  assert.deepEqual(new Set(Object.values(state)), new Set([lacks('developer', 'viewer')]))
  assert.deepEqual(Object.keys(state), ['Deploy', 'Start', 'Stop', 'Restart'])
  const connect = await open(`/databases/${redisId}/connect`)
  assert.deepEqual(connect, {
    Show: lacks('developer', 'viewer'),
    'Save the port': lacks('owner', 'viewer'),
    'Save who can connect': lacks('owner', 'viewer'),
  })
  await assertAccessible(tab, 'connect-of-a-viewer', { isBrief: true })
  await open('/applications')
  await page.getByText('This screen needs an account that reaches all projects.').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('A screen, database or project').fill('new database')
  await page.getByText('Nothing has this name.').waitFor()
  await page.getByLabel('A screen, database or project').fill('registries')
  await page.getByText('Nothing has this name.').waitFor()
})

test('a developer deploys and reads passwords, and does not change schedules', async (t) => {
  const { page, settled } = await member(t, 'developer')
  await page.goto(`/databases/${redisId}/connect`)
  await settled()
  await page.getByRole('button', { name: 'Show the internal URL' }).click()
  await page.getByText(/redis:\/\/default:a-secret@/).waitFor()
  assert.deepEqual(await unavailable(page), {
    'Save the port': lacks('owner', 'developer'),
    'Save who can connect': lacks('owner', 'developer'),
  })
  await page.goto(`/databases/${redisId}/state`)
  await settled()
  assert.equal((await unavailable(page)).Deploy, undefined)
  await berth.ok('destination.create', {
    ...{ name: 'offsite', endpoint: 'https://s3.example.org', bucket: 'dumps', region: '' },
    ...{ accessKey: 'key', secretAccessKey: 'secret', provider: '' },
  })
  await page.goto(`/databases/${postgresId}/backups`)
  await settled()
  assert.deepEqual(await unavailable(page), { 'Schedule a backup': lacks('owner', 'developer') })
  assert.equal(await page.getByRole('heading', { name: 'Files in the bucket' }).count(), 0)
  await page.goto('/destinations')
  await page.getByRole('heading', { name: 'offsite' }).waitFor()
  assert.equal(await page.getByText('********').count(), 0)
})

test('Berth asks for a code before data is destroyed, again after a wrong one, and none is needed to cancel', async (t) => {
  const { secret } = await berth.ok<{ secret: string }>('auth.generate2FASecret')
  const past = codeAt(secret, new Date(Date.now() - 30_000))
  await berth.ok('auth.verify2FASetup', { secret, pin: past })
  const person = await newPerson(t, browser, berth.base)
  const tab = await person.open('/people')
  tab.expect(/status of 40[13] /)
  const { page } = tab
  await page.getByLabel('E-mail').fill(administrator.email)
  await page.getByLabel('Password', { exact: true }).fill(administrator.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, new Date()))
  await page.getByRole('button', { name: 'Verify the code' }).click()
  await page.getByRole('heading', { name: 'Confirm dangerous calls' }).waitFor()

  const turnOn = async () => {
    await page.getByRole('button', { name: 'Turn on', exact: true }).first().click()
    await page.locator('dialog').getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('heading', { name: 'Confirm with a code' }).waitFor()
  }
  await turnOn()
  await assertAccessible(tab, 'code-question', { selector: 'dialog[open]', isBrief: true })
  const question = page.locator('dialog').filter({ has: page.getByRole('heading', { name: 'Confirm with a code' }) })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('You gave no code, so nothing was changed.').waitFor()
  await page.locator('dialog').getByRole('button', { name: 'Turn on' }).click()
  await question.getByLabel('Code', { exact: true }).fill('000000')
  await question.getByRole('button', { name: 'Confirm' }).click()
  await question.getByText('The code is wrong or was already used').waitFor()
  await question.getByLabel('Code', { exact: true }).fill(codeAt(secret, new Date(Date.now() + 30_000)))
  await question.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('button', { name: 'Turn off', exact: true }).waitFor()
  assert.deepEqual(await page.locator('dialog[open]').count(), 0)
})
