/** Volumes of databases that were removed: kept or gone, as was asked, and taken up again or thrown away. */
import assert from 'node:assert/strict'
import type { Client, Fields, Outcome } from './client.ts'
import type { Group } from './group.ts'
import type { Random } from './random.ts'

/** What became of a removal that was answered, or cut off (`isSure` false). */
export interface Left {
  databaseId: string
  kind: string
  appName: string
  notes: string[]
  removeData: boolean
  isSure: boolean
}

export interface Kept {
  id: string
  name: string
  kind: string
  notes: string[]
  password: null
}
type Listed = Fields & { volumeId: string; name: string; kind: string; state: string; appName: string }
export type Volumes = ReturnType<typeof volumesOf>

export function volumesOf(client: Client) {
  const lefts: Left[] = []
  /** As they were last seen; those that a call has taken since are not among them. */
  let kept: Kept[] = []
  const seen = new Map<string, Kept>()
  /** Ids of those of which a removal was answered, and of those of which one may have counted. */
  const [removed, maybeRemoved] = [new Set<string>(), new Set<string>()]
  const attached = new Set<string>()
  const group: Group = { name: 'volumes', calls, compare, compareWorld }
  return { ...group, left: (it: Left) => void lefts.push(it), anyKept, taken }

  async function calls(random: Random): Promise<void> {
    if (kept.length < 3) return
    const it = random.pick(kept)
    kept = kept.filter((other) => other !== it)
    const outcome = await client.call('volume.remove', { volumeId: it.id })
    if (outcome.is === 'done') removed.add(it.id)
    else if (outcome.is === 'cut') maybeRemoved.add(it.id)
    else assert.ok([404, 409].includes(outcome.status), outcome.message)
  }

  function anyKept(random: Random): Kept | null {
    if (kept.length === 0) return null
    const it = random.pick(kept)
    kept = kept.filter((other) => other !== it)
    return it
  }

  function taken({ id }: Kept, { is }: Outcome): void {
    if (is !== 'refused') attached.add(id)
  }

  async function list(): Promise<Listed[]> {
    return (await client.read<Listed[]>('volume.all'))!
  }

  /** A removal that was answered is never taken back. */
  async function compare(): Promise<void> {
    const wrong = (await list()).filter(({ volumeId, state }) => removed.has(volumeId) && state !== 'removing')
    assert.deepEqual(wrong, [], 'volumes whose removal was answered')
  }

  /** Whose data was to be kept is there, and nothing else is. Takes down what it saw only when all of it is right. */
  async function compareWorld(): Promise<void> {
    const all = await list()
    const found = all
      .filter(({ state }) => state === 'kept')
      .map((it) => {
        const left = lefts.find(({ appName }) => appName === it.appName)
        if (left === undefined) return seen.get(it.volumeId) ?? assert.fail(`${it.name} is of no removed database`)
        assert.ok(!left.removeData || !left.isSure, `${it.name} was not to be kept`)
        return { id: it.volumeId, name: it.name, kind: it.kind, notes: left.notes, password: null }
      })
    assert.deepEqual(
      all.filter(({ volumeId }) => removed.has(volumeId)),
      [],
    )
    const ids = all.map(({ volumeId }) => volumeId)
    const lost = kept.filter(({ id }) => !ids.includes(id) && !maybeRemoved.has(id) && !attached.has(id))
    assert.deepEqual(lost, [], 'volumes that were kept and are gone')
    for (const left of lefts.filter(({ isSure }) => isSure)) {
      const own = all.filter(({ appName }) => appName === left.appName)
      // What was written into it was read from it: there was a volume.
      if (!left.removeData && left.notes.length > 0) assert.equal(own.length, 1, `the volume of ${left.appName}`)
      if (left.removeData) assert.deepEqual(own, [], `the volume of ${left.appName} was to go`)
    }
    kept = found
    for (const it of kept) seen.set(it.id, it)
    lefts.length = 0
  }
}
