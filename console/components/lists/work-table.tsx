/** What Berth does and did. */
import { Link } from 'wouter-preact'
import type { Work } from '../../data/lists/work.ts'
import { ReasonText } from '../reason-text.tsx'
import { WorkState } from '../state.tsx'
import { type Column, Table } from '../table.tsx'
import { Duration, TimeOr } from '../time.tsx'

const columns: Column<Work>[] = [
  { title: 'State', cell: ({ state }) => <WorkState state={state} /> },
  { title: 'Work', cell: ({ text }) => text },
  { title: 'For', cell: ({ subject, href }) => (href === null ? subject : <Link href={href}>{subject}</Link>) },
  { title: 'Began', cell: ({ startedAt }) => <TimeOr at={startedAt} none="waits" /> },
  {
    title: 'Took',
    isNumber: true,
    cell: ({ startedAt, finishedAt }) => (startedAt === null ? '–' : <Duration from={startedAt} to={finishedAt} />),
  },
  { title: 'Details', cell: (work) => <Details {...work} /> },
]

export const WorkTable = ({ caption, work }: { caption: string; work: readonly Work[] }) => (
  <Table caption={caption} columns={columns} rows={work} rowKey={({ id }) => id} />
)

const Details = ({ note, reason }: Work) => (
  <>
    {note !== null && <p>{note}</p>}
    {reason !== null && <ReasonText text={reason} />}
    {note === null && reason === null && '–'}
  </>
)
