/** The audit log: who called what, with which result. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loading } from '../../components/loaded.tsx'
import { ErrorNotice } from '../../components/notice.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { useForm } from '../../data/forms/form.ts'
import { countText } from '../../data/format.ts'
import { ChainCheck } from './chain-check.tsx'
import { type AuditFilter, type AuditPage, inputOf, readPage } from './entries.ts'
import { EntryRow } from './entry-row.tsx'
import { ExportButton } from './export-button.tsx'
import { FilterFields } from './filter-fields.tsx'

const pageSize = 50
const typingMs = 300

export default function Audit() {
  const form = useForm<AuditFilter>({ since: '', operation: '', accountId: '', result: '', record: '' })
  const filter = Object.fromEntries(Object.entries(form.fields).map(([name, field]) => [name, field.value])) as never
  const log = useAuditLog(filter)
  return (
    <Page
      title="Audit log"
      sub="Each change and each refused call, with who made it. Entries stay for 400 days."
      actions={
        <>
          <Button onClick={log.reload}>Read the newest</Button>
          <ExportButton filter={filter} />
        </>
      }
    >
      <ChainCheck />
      <FilterFields form={form} />
      {log.error !== null && <ErrorNotice error={log.error} />}
      {log.page === null && log.error === null && <Loading what="the audit log" />}
      {log.page !== null && <Entries page={log.page} isBusy={log.isBusy} onOlder={log.readOlder} />}
      <EqualCalls operation="audit.all" input={{ ...inputOf(filter), order: 'desc', limit: pageSize }} />
    </Page>
  )
}

interface Props {
  page: AuditPage
  isBusy: boolean
  onOlder: () => void
}

function Entries({ page: { entries, cursor }, isBusy, onOlder }: Props) {
  if (entries.length === 0) {
    return <Empty title="No entry fits the filter">Choose a longer time, or clear one of the fields above.</Empty>
  }
  return (
    <div class="stack">
      <p class="muted" role="status">
        {countText(entries.length, 'entry', 'entries')}
        {cursor !== null && ', older ones follow'}
      </p>
      <ul class="audit">
        {entries.map((entry) => (
          <EntryRow key={entry.auditId} entry={entry} />
        ))}
      </ul>
      {cursor !== null && (
        <Button busy={isBusy} onClick={onOlder}>
          Show older entries
        </Button>
      )}
    </div>
  )
}

/** The log has no events: it is read when the filter changes and on demand, so that rows do not move while one reads. */
function useAuditLog(filter: AuditFilter) {
  const state = useSignal<{ page: AuditPage | null; error: unknown; isBusy: boolean }>({
    ...{ page: null, error: null, isBusy: true },
  })
  const latest = useSignal(0)
  const read = async (cursor: string | null) => {
    const turn = ++latest.value
    state.value = { ...state.peek(), isBusy: true }
    try {
      const page = await readPage(filter, cursor, pageSize)
      // A later read has begun: its answer counts.
      if (turn !== latest.peek()) return
      const before = cursor === null ? [] : (state.peek().page?.entries ?? [])
      state.value = { page: { ...page, entries: [...before, ...page.entries] }, error: null, isBusy: false }
    } catch (error) {
      if (turn === latest.peek()) state.value = { ...state.peek(), error, isBusy: false }
    }
  }
  useEffect(() => {
    const timer = setTimeout(() => void read(null), typingMs)
    return () => clearTimeout(timer)
  }, [JSON.stringify(filter)])
  return { ...state.value, reload: () => void read(null), readOlder: () => void read(state.peek().page!.cursor) }
}
