/** What is pinned to a node, in a dialog that would stop or lose it. */
import type { Node } from '../../../client/client.ts'
import { countText } from '../../data/format.ts'

const maxShown = 12

export function PinnedNames({ pinned }: { pinned: Node['pinned'] }) {
  const more = pinned.length - maxShown
  return (
    <ul class="names">
      {pinned.slice(0, maxShown).map(({ type, id, name }) => (
        <li key={`${type} ${id}`}>
          {name} <span class="muted">({type === 'volume' ? 'kept volume' : type})</span>
        </li>
      ))}
      {more > 0 && <li>and {countText(more, 'other')}</li>}
    </ul>
  )
}
