/** A list in pages, the newest first. The first page follows events; older pages are added on demand. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { OperationName } from '../../../client/client.ts'
import { api } from '../api.ts'
import { mergePages } from './merge-pages.ts'
import { type QueryOptions, useQuery } from '../live/query.ts'

const pageSize = 50

/**
 * @param name an operation with `limit`, `cursor` and `order`
 * @param input the other inputs. Another input needs another component, by a key
 * @param idOf the id of a record. Newer records have greater ids
 * @param options when the first page is read again
 */
export function usePages<T>(name: OperationName, input: object, idOf: (row: T) => string, options: QueryOptions = {}) {
  const whole = { ...input, order: 'desc', limit: pageSize }
  const first = useQuery(name as 'deployment.all', whole as { limit: number }, options)
  const rows = useSignal<T[] | undefined>(undefined)
  /** The cursor after the oldest page; undefined: only the first page was read. */
  const cursor = useSignal<string | null | undefined>(undefined)
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(null)
  const fresh = first.data.value as T[] | undefined
  useEffect(() => {
    if (fresh === undefined) return
    const before = cursor.peek() === undefined ? [] : (rows.peek() ?? [])
    rows.value = mergePages(before, fresh, first.next.peek() === null, idOf)
  }, [fresh])
  const next = cursor.value === undefined ? first.next.value : cursor.value

  const readOlder = async () => {
    isBusy.value = true
    error.value = null
    let following: string | null = null
    try {
      const page = (await api.call(
        name as string,
        { ...whole, cursor: next },
        { onHeaders: (headers) => (following = headers.get('berth-next-cursor')) },
      )) as T[]
      rows.value = [...(rows.peek() ?? []), ...page]
      cursor.value = following
    } catch (caught) {
      error.value = caught
    } finally {
      isBusy.value = false
    }
  }
  return {
    query: { data: rows, error: first.error, reload: first.reload },
    older: { isThere: next !== null, isBusy, error, read: readOlder },
  }
}
