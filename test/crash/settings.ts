/** Single objects: the administrator's account, and the engine's node, whose label is changed. */
import assert from 'node:assert/strict'
import { docker } from '../e2e/swarm.ts'
import { counter, type Group, type Runtime } from './group.ts'

interface Account {
  email: string
  image: string
}
interface Node {
  id: string
  isOwn: boolean
  labels: Record<string, string>
}

/** A text that a call sets, with its possible values. */
function settingOf(what: string, read: () => Promise<string>) {
  let possible = ['']
  return {
    async set(value: string, send: () => Promise<{ result: string }>) {
      const before = possible
      possible = [...before, value]
      const { result } = await send()
      assert.notEqual(result, 'refused', what)
      if (result === 'done') possible = [value]
    },
    async compare() {
      const current = await read()
      assert.ok(possible.includes(current), `${what} is ${current}, possible are ${possible}`)
      possible = [current]
    },
  }
}

export function accountOf({ client }: Runtime): Group {
  const next = counter()
  const setting = settingOf('the picture of the account', async () => (await client.read<Account>('auth.get'))!.image)
  return { name: 'account', calls, compare: setting.compare, compareExternal: async () => undefined }

  async function calls() {
    const image = `https://pictures.example/${next()}`
    await setting.set(image, () => client.call('auth.update', { email: null, password: null, image }))
  }
}

export const nodeLabel = (prefix: string): string => `berth-test-${prefix}`

/** @param nodeId the engine's own node, whose other labels do not change */
export function nodeOf({ client, prefix }: Runtime, nodeId: string): Group {
  const next = counter()
  const name = nodeLabel(prefix)
  const labels = async () =>
    JSON.parse((await docker('node', 'inspect', nodeId, '--format', '{{json .Spec.Labels}}')).join('')) as Record<
      string,
      string
    >
  const onEngine = settingOf('the label on the engine', async () => (await labels())[name] ?? '')
  return { name: 'node', calls, compare, compareExternal: async () => undefined }

  async function calls() {
    const value = `value-${next()}`
    const others = await labels()
    await onEngine.set(value, () => client.call('cluster.updateNode', { nodeId, labels: { ...others, [name]: value } }))
  }

  /** Berth does not store labels, so the API must return those of the engine. */
  async function compare() {
    await onEngine.compare()
    const nodes = (await client.read<Node[]>('cluster.getNodes'))!
    assert.equal(nodes.find(({ id }) => id === nodeId)?.labels[name] ?? '', (await labels())[name] ?? '')
  }
}
