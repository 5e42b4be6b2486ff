/** The memberships of the administrator's account in projects that are never removed. */
import type { Fields } from './client.ts'
import type { Group, Runtime } from './group.ts'
import type { Random } from './random.ts'
import { recordsOf } from './records.ts'

const roles = ['viewer', 'developer', 'owner']

/** @param projectIds an account has at most one membership in each, so the project identifies the membership */
export async function membersOf({ client }: Runtime, projectIds: readonly string[]): Promise<Group> {
  const { id: accountId, email } = (await client.read<{ id: string; email: string }>('auth.get'))!
  const records = recordsOf<{ role: string }>(client, 'member', async () => {
    const lists = await Promise.all(
      projectIds.map(async (projectId) => (await client.read<Fields[]>('project.members', { projectId }))!),
    )
    return lists
      .flat()
      .map(({ projectId, role }) => ({ id: String(projectId), name: String(projectId), fields: { role } }))
  })
  return { name: 'members', calls, compare: records.compare, compareExternal: async () => undefined }

  async function calls(random: Random): Promise<void> {
    const projectId = random.pick(projectIds)
    const role = random.pick(roles)
    const known = records.all().find(({ name }) => name === projectId)
    if (known === undefined) {
      await records.create('project.addMember', { projectId, email, role }, projectId, { role }, () => projectId)
      return
    }
    const record = records.present().find(({ name }) => name === projectId)
    // An earlier call was cut off: the next comparison decides.
    if (record === undefined) return
    const input = { projectId, accountId }
    if (random.chance(30)) {
      await records.change(record, { operation: 'project.removeMember', input, apply: () => null })
    } else {
      await records.change(record, {
        operation: 'project.updateMember',
        input: { ...input, role },
        apply: () => ({ role }),
      })
    }
  }
}
