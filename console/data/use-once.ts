/** Reads once. Events never repeat the read, for answers that are different each time. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Query } from './live/query.ts'

export function useOnce<T>(read: () => Promise<T>): Pick<Query<T>, 'data' | 'error' | 'reload'> {
  const data = useSignal<T | undefined>(undefined)
  const error = useSignal<unknown>(null)
  const reload = async () => {
    try {
      data.value = await read()
      error.value = null
    } catch (caught) {
      error.value = caught
    }
  }
  useEffect(() => void reload(), [])
  return { data, error, reload }
}
