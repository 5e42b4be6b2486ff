/** Saves the entries that fit the filter as a file, one JSON object in a line. */
import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { errorText } from '../../data/api.ts'
import { numberText } from '../../data/format.ts'
import { type AuditFilter, type Entry, readPage } from './entries.ts'

/** The largest page that Berth answers. */
const pageSize = 100

export function ExportButton({ filter }: { filter: AuditFilter }) {
  const count = useSignal<number | null>(null)
  const error = useSignal<string | null>(null)
  const run = async () => {
    error.value = null
    count.value = 0
    try {
      const entries: Entry[] = []
      let cursor: string | null = null
      do {
        const page = await readPage(filter, cursor, pageSize)
        entries.push(...page.entries)
        cursor = page.cursor
        count.value = entries.length
      } while (cursor !== null)
      save(entries.map((entry) => `${JSON.stringify(entry)}\n`))
    } catch (caught) {
      error.value = errorText(caught)
    }
    count.value = null
  }
  return (
    <>
      <Button busy={count.value !== null} onClick={() => void run()}>
        {count.value === null ? 'Export as a file' : `${numberText(count.value)} entries read`}
      </Button>
      {error.value !== null && (
        <span class="wrong" role="alert">
          {error.value}
        </span>
      )}
    </>
  )
}

function save(lines: string[]) {
  const url = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `berth-audit-${new Date().toISOString().slice(0, 10)}.ndjson`
  link.click()
  URL.revokeObjectURL(url)
}
