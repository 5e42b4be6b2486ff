/** The team: invitations, the accounts that come of them, and API tokens, which hold or do not. */
import assert from 'node:assert/strict'
import type { Fields } from './client.ts'
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { listing, recordsOf } from './records.ts'

/** `installation`: the token of the installation, by which accounts are made. */
export function accountsOf({ client, prefix }: Runtime, installation: string, adminEmail: string): Group {
  const next = counter()
  const toUser = listing('userId', 'email', ['email', 'rol'])
  const users = recordsOf<{ email: string; rol: string }>(client, 'user', async () =>
    (await client.read<Fields[]>('user.all'))!.filter(({ email }) => email !== adminEmail).map(toUser),
  )
  const toInvitation = listing('id', 'email', ['email', 'rol'])
  const invitations = recordsOf<{ email: string; rol: string }>(client, 'invitation', async () =>
    (await client.read<Fields[]>('user.invitations'))!.map(toInvitation),
  )
  /** Of invitations whose answer came, by their id. */
  const tokens = new Map<string, string>()
  return { name: 'accounts', calls, compare, compareWorld: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const verb = random.pick(['invite', 'invite', 'revoke', 'join', 'join', 'change', 'remove'] as const)
    const open = invitations.present()
    const team = users.present()
    if (verb === 'invite' && open.length < 10) return invite(random)
    if (verb === 'revoke' && open.length > 0) {
      const it = random.pick(open)
      await invitations.change(it, { operation: 'user.revokeInvitation', input: { id: it.id }, makes: () => null })
    } else if (verb === 'join') {
      const it = open.find(({ id }) => tokens.has(id))
      if (it !== undefined && team.length < 10) await join(it.id)
    } else if (verb === 'change' && team.length > 0) {
      const it = random.pick(team)
      const rol = random.pick(['user', 'admin'])
      await users.change(it, {
        operation: 'auth.updateByAdmin',
        makes: (before) => ({ ...before, rol }),
        input: { id: it.id, email: null, password: null, rol },
      })
    } else if (verb === 'remove' && team.length > 3) {
      const it = random.pick(team)
      await users.change(it, { operation: 'user.remove', input: { userId: it.id }, makes: () => null })
    }
  }

  async function invite(random: Random): Promise<void> {
    const email = `${prefix}-${next()}@example.org`
    const rol = random.pick(['user', 'admin'])
    const outcome = await invitations.create<{ id: string; token: string }>(
      'user.invite',
      { email, rol },
      email,
      { email, rol },
      ({ id }) => id,
    )
    if (outcome.is === 'done') tokens.set(outcome.body.id, outcome.body.token)
  }

  /** One call makes the account and uses the invitation up: both, or neither. Whoever was cut off often has to wait. */
  async function join(id: string): Promise<void> {
    const invitation = invitations.present().find((it) => it.id === id)!
    const { email, rol } = invitation.may[0]!
    const input = { id, token: tokens.get(id)!, password: `secret-of-an-account-${next()}` }
    const outcome = await users.create<{ account: { id: string } }>(
      'auth.createUser',
      input,
      email,
      { email, rol },
      ({ account }) => account.id,
      [429],
      { token: installation, neverKeyed: true },
    )
    if (outcome.is === 'done') invitation.may = [null]
    if (outcome.is === 'cut') invitation.may.push(null)
  }

  async function compare(): Promise<void> {
    await users.compare()
    await invitations.compare()
    const names = users.all().map(({ name }) => name)
    assert.deepEqual(
      invitations.all().filter(({ name }) => names.includes(name)),
      [],
      'invitations that were used',
    )
  }
}

export function tokensOf({ client, prefix }: Runtime): Group {
  const next = counter()
  const toListed = listing('tokenId', 'name', ['name', 'scope'])
  const records = recordsOf<{ name: string; scope: string }>(client, 'token', async () =>
    (await client.read<Fields[]>('auth.tokens'))!.map(toListed),
  )
  /** Tokens that were shown, by id. */
  const shown = new Map<string, string>()
  return { name: 'tokens', calls, compare, compareWorld: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    if (present.length > 8 || (present.length > 0 && random.chance(40))) {
      const it = random.pick(present)
      await records.change(it, { operation: 'auth.revokeToken', input: { tokenId: it.id }, makes: () => null })
      return
    }
    const fields = { name: `${prefix}-token-${next()}`, scope: random.pick(['read', 'deploy', 'admin']) }
    const outcome = await records.create<{ tokenId: string; token: string }>(
      'auth.createToken',
      fields,
      fields.name,
      fields,
      ({ tokenId }) => tokenId,
    )
    if (outcome.is === 'done') shown.set(outcome.body.tokenId, outcome.body.token)
  }

  /** What is listed lets in, what was revoked does not. */
  async function compare(): Promise<void> {
    await records.compare()
    const ids = records.present().map(({ id }) => id)
    for (const [id, token] of shown) {
      const { is } = await client.call('auth.verifyToken', {}, { token, neverKeyed: true })
      assert.equal(is, ids.includes(id) ? 'done' : 'refused', `the token ${id}`)
      if (is === 'refused') shown.delete(id)
    }
  }
}
