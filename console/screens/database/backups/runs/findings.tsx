/** What a person should know about a good dump: objects that are left out, do not work, or need another database. */
import type { DumpFinding } from '../../../../../client/client.ts'
import { countText } from '../../../../data/format.ts'

interface Props {
  findings: readonly DumpFinding[]
  /** The number of all findings. */
  count: number
}

export function Findings({ findings, count }: Props) {
  if (count === 0) return null
  return (
    <details>
      <summary>All data is in the dump. {countText(count, 'thing')} to know about it</summary>
      <ul>
        {findings.map(({ reason, type, name, message, remedy }) => (
          <li key={`${reason} ${type} ${name}`}>
            {message}. <span class="muted">{remedy}.</span>
          </li>
        ))}
      </ul>
      {count > findings.length && <p class="hint">The manifest of the dump has the others.</p>}
    </details>
  )
}
