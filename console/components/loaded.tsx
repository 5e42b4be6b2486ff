/** The states of something that is read: loading, failed, not allowed, missing, and there. */
import type { ComponentChildren } from 'preact'
import { BerthError } from '../../client/client.ts'
import type { Query } from '../data/live/query.ts'
import { Button } from './button.tsx'
import { WorkingIcon } from './icons.tsx'
import { ErrorNotice, Notice } from './notice.tsx'

interface Props<T> {
  query: Pick<Query<T>, 'data' | 'error' | 'reload'>
  /** What is read, for "Loading the projects". */
  what: string
  children: (data: T) => ComponentChildren
}

/** Data that was read once stays on the page while later reads fail, with a message above. */
export function Loaded<T>({ query, what, children }: Props<T>) {
  const data = query.data.value
  const error = query.error.value
  if (data === undefined && error === null) return <Loading what={what} />
  if (data === undefined && error instanceof BerthError && error.code === 'FORBIDDEN') {
    return <NotAllowed what={what} error={error} />
  }
  if (data === undefined && error instanceof BerthError && error.code === 'NOT_FOUND') return <Missing what={what} />
  return (
    <>
      {error !== null && (
        <ErrorNotice error={error}>
          <p>{data === undefined ? `Berth could not read ${what}.` : `This is the last known state of ${what}.`}</p>
          <Button small onClick={() => void query.reload()}>
            Try again
          </Button>
        </ErrorNotice>
      )}
      {data !== undefined && children(data)}
    </>
  )
}

export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    <WorkingIcon />
    Loading {what} …
  </p>
)

const Missing = ({ what }: { what: string }) => (
  <Notice tone="warning">
    <p>
      <strong>Berth does not find {what}.</strong>
    </p>
    <p>It was removed, the address is wrong, or your account may not see it.</p>
  </Notice>
)

const NotAllowed = ({ what, error }: { what: string; error: BerthError }) => (
  <Notice tone="warning">
    <p>
      <strong>You may not see {what}.</strong>
    </p>
    <p>{error.message}</p>
  </Notice>
)
