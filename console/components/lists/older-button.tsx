/** Reads the next older page of a list. */
import type { usePages } from '../../data/lists/pages.ts'
import { Button } from '../button.tsx'
import { ErrorNotice } from '../notice.tsx'

export function OlderButton({ older }: { older: ReturnType<typeof usePages>['older'] }) {
  return (
    <>
      {older.error.value !== null && <ErrorNotice error={older.error.value} />}
      {older.isThere && (
        <Button busy={older.isBusy.value} onClick={() => void older.read()}>
          Show older ones
        </Button>
      )}
    </>
  )
}
