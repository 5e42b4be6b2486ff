/** What is pinned to a node, in a dialog that would stop or lose it. */
import { Link } from 'wouter-preact'
import type { Node } from '../../../client/client.ts'
import { countText } from '../../data/format.ts'
import { databasePath } from '../../routes.ts'

const maxShown = 12

/** The name of a database leads to its tab Danger, where it can be moved to another node. */
export function PinnedNames({ pinned }: { pinned: Node['pinned'] }) {
  const more = pinned.length - maxShown
  return (
    <ul class="names">
      {pinned.slice(0, maxShown).map(({ type, id, name }) => (
        <li key={`${type} ${id}`}>
          {type === 'database' ? <Link href={databasePath(id, 'danger')}>{name}</Link> : name}{' '}
          <span class="muted">({type === 'volume' ? 'kept volume' : type})</span>
        </li>
      ))}
      {more > 0 && <li>and {countText(more, 'other')}</li>}
    </ul>
  )
}
