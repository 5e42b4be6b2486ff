/** What there is one of: the administrator's own account, and the node, of which a label is changed. */
import assert from 'node:assert/strict'
import { docker } from '../e2e/swarm.ts'
import { counter, type Group, type Runtime } from './group.ts'

interface Own {
  email: string
  image: string
}
interface Node {
  id: string
  isOwn: boolean
  labels: Record<string, string>
}

/** A text that a call sets, and all that it may be now. */
function settingOf(what: string, read: () => Promise<string>) {
  let may = ['']
  return {
    async set(value: string, send: () => Promise<{ is: string }>) {
      const before = may
      may = [...before, value]
      const { is } = await send()
      assert.notEqual(is, 'refused', what)
      if (is === 'done') may = [value]
    },
    async compare() {
      const found = await read()
      assert.ok(may.includes(found), `${what} is ${found}, and may be ${may}`)
      may = [found]
    },
  }
}

export function accountOf({ client }: Runtime): Group {
  const next = counter()
  const setting = settingOf('the picture of the account', async () => (await client.read<Own>('auth.get'))!.image)
  return { name: 'account', calls, compare: setting.compare, compareWorld: async () => undefined }

  async function calls() {
    const image = `https://pictures.example/${next()}`
    await setting.set(image, () => client.call('auth.update', { email: null, password: null, image }))
  }
}

export const nodeLabel = (prefix: string): string => `berth-test-${prefix}`

/** `nodeId`: of the engine's own node, whose other labels are left as they are. */
export function nodeOf({ client, prefix }: Runtime, nodeId: string): Group {
  const next = counter()
  const name = nodeLabel(prefix)
  const labels = async () =>
    JSON.parse((await docker('node', 'inspect', nodeId, '--format', '{{json .Spec.Labels}}')).join('')) as Record<
      string,
      string
    >
  const onEngine = settingOf('the label on the engine', async () => (await labels())[name] ?? '')
  return { name: 'node', calls, compare, compareWorld: async () => undefined }

  async function calls() {
    const value = `value-${next()}`
    const others = await labels()
    await onEngine.set(value, () => client.call('cluster.updateNode', { nodeId, labels: { ...others, [name]: value } }))
  }

  /** Berth keeps no copy: it answers what the engine says. */
  async function compare() {
    await onEngine.compare()
    const nodes = (await client.read<Node[]>('cluster.getNodes'))!
    assert.equal(nodes.find(({ id }) => id === nodeId)?.labels[name] ?? '', (await labels())[name] ?? '')
  }
}
