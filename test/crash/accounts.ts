/** The team: invitations, accounts that are created with them, and API tokens. */
import assert from 'node:assert/strict'
import type { Fields } from './client.ts'
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { listing, recordsOf } from './records.ts'

/** The account whose session the client has. A run may last longer than a session proves it. */
export interface Administrator {
  email: string
  password: string
}

/** @param installationToken authorizes the creation of accounts */
export function accountsOf({ client, prefix }: Runtime, installationToken: string, admin: Administrator): Group {
  const next = counter()
  const toUser = listing('userId', 'email', ['email', 'rol'])
  const users = recordsOf<{ email: string; rol: string }>(client, 'user', async () =>
    (await client.read<Fields[]>('user.all'))!.filter(({ email }) => email !== admin.email).map(toUser),
  )
  const toInvitation = listing('id', 'email', ['email', 'rol'])
  const invitations = recordsOf<{ email: string; rol: string }>(client, 'invitation', async () =>
    (await client.read<Fields[]>('user.invitations'))!.map(toInvitation),
  )
  /** The tokens of invitations whose creation was acknowledged, by id. */
  const tokens = new Map<string, string>()
  return { name: 'accounts', calls, compare, compareExternal: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const verb = random.pick(['invite', 'invite', 'revoke', 'join', 'join', 'change', 'remove'] as const)
    const open = invitations.present()
    const team = users.present()
    if (verb === 'invite' && open.length < 10) return invite(random)
    if (verb === 'revoke' && open.length > 0) {
      const record = random.pick(open)
      await invitations.change(record, {
        operation: 'user.revokeInvitation',
        input: { id: record.id },
        apply: () => null,
      })
    } else if (verb === 'join') {
      const record = open.find(({ id }) => tokens.has(id))
      if (record !== undefined && team.length < 10) await join(record.id)
    } else if (verb === 'change' && team.length > 0) {
      const record = random.pick(team)
      const rol = random.pick(['user', 'admin'])
      await users.change(record, {
        operation: 'auth.updateByAdmin',
        apply: (before) => ({ ...before, rol }),
        input: { id: record.id, email: null, password: null, rol, currentPassword: admin.password },
        refusals: [429],
      })
    } else if (verb === 'remove' && team.length > 3) {
      const record = random.pick(team)
      await users.change(record, { operation: 'user.remove', input: { userId: record.id }, apply: () => null })
    }
  }

  async function invite(random: Random): Promise<void> {
    const email = `${prefix}-${next()}@example.org`
    const rol = random.pick(['user', 'admin'])
    const outcome = await invitations.create<{ id: string; token: string }>(
      'user.invite',
      { email, rol, currentPassword: admin.password },
      email,
      { email, rol },
      ({ id }) => id,
      [429],
    )
    if (outcome.result === 'done') tokens.set(outcome.body.id, outcome.body.token)
  }

  /**
   * One call creates the account and consumes the invitation, or does neither. The call may be refused with 429,
   * because earlier calls that were cut off count as attempts.
   */
  async function join(id: string): Promise<void> {
    const invitation = invitations.present().find((record) => record.id === id)!
    const { email, rol } = invitation.possible[0]!
    const input = { id, token: tokens.get(id)!, password: `secret-of-an-account-${next()}` }
    const outcome = await users.create<{ account: { id: string } }>(
      'auth.createUser',
      input,
      email,
      { email, rol },
      ({ account }) => account.id,
      [429],
      { token: installationToken, neverKeyed: true },
    )
    if (outcome.result === 'done') invitation.possible = [null]
    if (outcome.result === 'cut') invitation.possible.push(null)
  }

  async function compare(): Promise<void> {
    await users.compare()
    await invitations.compare()
    const names = users.all().map(({ name }) => name)
    assert.deepEqual(
      invitations.all().filter(({ name }) => names.includes(name)),
      [],
      'used invitations that still exist',
    )
  }
}

export function tokensOf({ client, prefix }: Runtime, admin: Administrator): Group {
  const next = counter()
  const toListed = listing('tokenId', 'name', ['name', 'scope'])
  const records = recordsOf<{ name: string; scope: string }>(client, 'token', async () =>
    (await client.read<Fields[]>('auth.tokens'))!.map(toListed),
  )
  /** The tokens whose creation was acknowledged, by id. */
  const issued = new Map<string, string>()
  return { name: 'tokens', calls, compare, compareExternal: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    if (present.length > 8 || (present.length > 0 && random.chance(40))) {
      const record = random.pick(present)
      await records.change(record, { operation: 'auth.revokeToken', input: { tokenId: record.id }, apply: () => null })
      return
    }
    const fields = { name: `${prefix}-token-${next()}`, scope: random.pick(['read', 'deploy', 'admin']) }
    const outcome = await records.create<{ tokenId: string; token: string }>(
      'auth.createToken',
      { ...fields, currentPassword: admin.password },
      fields.name,
      fields,
      ({ tokenId }) => tokenId,
      [429],
    )
    if (outcome.result === 'done') issued.set(outcome.body.tokenId, outcome.body.token)
  }

  /** Listed tokens are accepted, revoked tokens are refused. */
  async function compare(): Promise<void> {
    await records.compare()
    const ids = records.present().map(({ id }) => id)
    for (const [id, token] of issued) {
      const { result } = await client.call('auth.verifyToken', {}, { token, neverKeyed: true })
      assert.equal(result, ids.includes(id) ? 'done' : 'refused', `the token ${id}`)
      if (result === 'refused') issued.delete(id)
    }
  }
}
