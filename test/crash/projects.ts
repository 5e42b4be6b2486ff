/** Projects without services; those of the databases are made once, by `home`. */
import type { Random } from './random.ts'
import { counter, type Group, type Runtime } from './group.ts'
import { listing, recordsOf } from './records.ts'

export function projectsOf({ client, prefix }: Runtime) {
  const next = counter()
  const toListed = listing('projectId', 'name', ['name', 'description'])
  const records = recordsOf<{ name: string; description: string | null }>(client, 'project', async () =>
    (await client.read<Record<string, unknown>[]>('project.all'))!.map(toListed),
  )
  const homes: string[] = []
  const group: Group = { name: 'projects', calls, compare: records.compare, compareWorld: async () => undefined }
  return { ...group, home }

  /** One that stays. */
  async function home(): Promise<string> {
    const name = `${prefix}-home-${next()}`
    const outcome = await records.create<{ projectId: string }>(
      'project.create',
      { name },
      name,
      { name, description: null },
      ({ projectId }) => projectId,
    )
    if (outcome.is !== 'done') throw new Error('The project was not made')
    homes.push(outcome.body.projectId)
    return outcome.body.projectId
  }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const free = present.filter(({ id }) => !homes.includes(id))
    const verb = random.pick(['create', 'update', 'update', 'remove'] as const)
    if (verb === 'remove' && free.length > 3) {
      const it = random.pick(free)
      await records.change(it, { operation: 'project.remove', input: { projectId: it.id }, makes: () => null })
    } else if (verb === 'update') {
      const it = random.pick(present)
      const description = `description ${next()}`
      const name = it.may[0]!.name
      await records.change(it, {
        operation: 'project.update',
        input: { projectId: it.id, name, description },
        makes: (before) => ({ ...before, description }),
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
