/** Volumes of removed databases: kept or deleted as requested. Kept volumes are restored or removed later. */
import assert from 'node:assert/strict'
import type { Client, Fields, Outcome } from './client.ts'
import type { Group } from './group.ts'
import type { Random } from './random.ts'

/** The removal of a database. `isSure` is false if the call was cut off. */
export interface Removal {
  databaseId: string
  kind: string
  appName: string
  entries: string[]
  removeData: boolean
  isSure: boolean
}

export interface KeptVolume {
  id: string
  name: string
  kind: string
  entries: string[]
  password: null
}
type Listed = Fields & { volumeId: string; name: string; kind: string; state: string; appName: string }
export type Volumes = ReturnType<typeof volumesOf>

export function volumesOf(client: Client) {
  const removals: Removal[] = []
  /** The kept volumes at the last comparison, without those that a call has used since. */
  let kept: KeptVolume[] = []
  const everKept = new Map<string, KeptVolume>()
  /** The ids of volumes whose removal was acknowledged, and of volumes whose removal was cut off. */
  const [removed, maybeRemoved] = [new Set<string>(), new Set<string>()]
  const attached = new Set<string>()
  const group: Group = { name: 'volumes', calls, compare, compareExternal }
  return { ...group, recordRemoval, takeKept, recordRestore }

  function recordRemoval(removal: Removal): void {
    removals.push(removal)
  }

  async function calls(random: Random): Promise<void> {
    if (kept.length < 3) return
    const volume = random.pick(kept)
    kept = kept.filter((other) => other !== volume)
    const outcome = await client.call('volume.remove', { volumeId: volume.id })
    if (outcome.result === 'done') removed.add(volume.id)
    else if (outcome.result === 'cut') maybeRemoved.add(volume.id)
    else assert.ok([404, 409].includes(outcome.status), outcome.message)
  }

  function takeKept(random: Random): KeptVolume | null {
    if (kept.length === 0) return null
    const volume = random.pick(kept)
    kept = kept.filter((other) => other !== volume)
    return volume
  }

  function recordRestore({ id }: KeptVolume, { result }: Outcome): void {
    if (result !== 'refused') attached.add(id)
  }

  async function list(): Promise<Listed[]> {
    return (await client.read<Listed[]>('volume.all'))!
  }

  /** An acknowledged removal is never undone. */
  async function compare(): Promise<void> {
    const wrong = (await list()).filter(({ volumeId, state }) => removed.has(volumeId) && state !== 'removing')
    assert.deepEqual(wrong, [], 'volumes whose removal was acknowledged')
  }

  /** Compares the volumes with the removals of databases. Updates the known volumes only if the comparison succeeds. */
  async function compareExternal(): Promise<void> {
    const all = await list()
    const keptNow = all
      .filter(({ state }) => state === 'kept')
      .map((volume) => {
        const removal = removals.find(({ appName }) => appName === volume.appName)
        if (removal === undefined)
          return everKept.get(volume.volumeId) ?? assert.fail(`${volume.name} is of no removed database`)
        assert.ok(!removal.removeData || !removal.isSure, `${volume.name} had to be deleted`)
        return { id: volume.volumeId, name: volume.name, kind: volume.kind, entries: removal.entries, password: null }
      })
    assert.deepEqual(
      all.filter(({ volumeId }) => removed.has(volumeId)),
      [],
    )
    const ids = all.map(({ volumeId }) => volumeId)
    const lost = kept.filter(({ id }) => !ids.includes(id) && !maybeRemoved.has(id) && !attached.has(id))
    assert.deepEqual(lost, [], 'kept volumes that do not exist any more')
    for (const removal of removals.filter(({ isSure }) => isSure)) {
      const own = all.filter(({ appName }) => appName === removal.appName)
      // A database with entries has had a volume.
      if (!removal.removeData && removal.entries.length > 0)
        assert.equal(own.length, 1, `the volume of ${removal.appName}`)
      if (removal.removeData) assert.deepEqual(own, [], `the volume of ${removal.appName} had to be deleted`)
    }
    kept = keptNow
    for (const volume of kept) everKept.set(volume.id, volume)
    removals.length = 0
  }
}
