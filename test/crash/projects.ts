/** Projects without services. The projects of the databases are created by `createLasting` and never removed. */
import type { Random } from './random.ts'
import { counter, type Group, type Runtime } from './group.ts'
import { listing, recordsOf } from './records.ts'

export function projectsOf({ client, prefix }: Runtime) {
  const next = counter()
  const toListed = listing('projectId', 'name', ['name', 'description'])
  const records = recordsOf<{ name: string; description: string | null }>(client, 'project', async () =>
    (await client.read<Record<string, unknown>[]>('project.all'))!.map(toListed),
  )
  const lastingIds: string[] = []
  const group: Group = { name: 'projects', calls, compare: records.compare, compareExternal: async () => undefined }
  return { ...group, createLasting }

  /** Creates a project that is never removed. Returns its id. */
  async function createLasting(): Promise<string> {
    const name = `${prefix}-lasting-${next()}`
    const outcome = await records.create<{ projectId: string }>(
      'project.create',
      { name },
      name,
      { name, description: null },
      ({ projectId }) => projectId,
    )
    if (outcome.result !== 'done') throw new Error('The project was not created')
    lastingIds.push(outcome.body.projectId)
    return outcome.body.projectId
  }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const free = present.filter(({ id }) => !lastingIds.includes(id))
    const verb = random.pick(['create', 'update', 'update', 'remove'] as const)
    if (verb === 'remove' && free.length > 3) {
      const record = random.pick(free)
      await records.change(record, { operation: 'project.remove', input: { projectId: record.id }, apply: () => null })
    } else if (verb === 'update') {
      const record = random.pick(present)
      const description = `description ${next()}`
      const name = record.possible[0]!.name
      await records.change(record, {
        operation: 'project.update',
        input: { projectId: record.id, name, description },
        apply: (before) => ({ ...before, description }),
      })
    } else if (free.length < 20) {
      const name = `${prefix}-project-${next()}`
      await records.create<{ projectId: string }>(
        'project.create',
        { name, description: null },
        name,
        { name, description: null },
        ({ projectId }) => projectId,
      )
    }
  }
}
