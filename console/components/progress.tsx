/** Long work: a bar with the phase in words. It goes on when the page is closed. */
import { useId } from 'preact/hooks'

interface Props {
  /** What happens now, such as "Reading the dump back". */
  phase: string
  /** Between 0 and 1; null: the end is not known. */
  part: number | null
  /** What was done so far, such as "1.2 GiB, 30,000 rows". */
  detail?: string
}

export function Progress({ phase, part, detail }: Props) {
  const id = useId()
  return (
    <div class="progress">
      <div id={id}>
        {phase}
        {detail !== undefined && <span class="muted"> · {detail}</span>}
      </div>
      {part === null ? <progress aria-labelledby={id} /> : <progress aria-labelledby={id} value={part} max={1} />}
    </div>
  )
}
