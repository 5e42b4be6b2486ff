/** Fields that are kept in the query of the URL, so that a link shows the same. */
import { batch, effect, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useSearch } from 'wouter-preact'

/** A browser refuses to change the URL at each key. */
const delayMs = 200

/** Empty fields are left out of the URL. */
export function useUrlFields<Name extends string>(names: readonly Name[]): Record<Name, Signal<string>> {
  const search = useSearch()
  const fields = useMemo(() => fieldsOf(names, search), [])
  const written = useRef(search)
  useEffect(() => {
    // The fields may be newer than what was written.
    if (search === written.current) return
    written.current = search
    const parameters = new URLSearchParams(search)
    batch(() => {
      for (const name of names) fields[name].value = parameters.get(name) ?? ''
    })
  }, [search])
  useEffect(() => {
    const { pathname } = location
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = effect(() => {
      const parameters = new URLSearchParams(names.flatMap((name) => pairOf(name, fields[name].value)))
      clearTimeout(timer)
      timer = setTimeout(() => {
        const text = parameters.toString()
        if (text === written.current || location.pathname !== pathname) return
        written.current = text
        history.replaceState(history.state, '', text === '' ? pathname : `${pathname}?${text}`)
      }, delayMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])
  return fields
}

function fieldsOf<Name extends string>(names: readonly Name[], search: string): Record<Name, Signal<string>> {
  const parameters = new URLSearchParams(search)
  const entries = names.map((name) => [name, signal(parameters.get(name) ?? '')])
  return Object.fromEntries(entries) as Record<Name, Signal<string>>
}

const pairOf = (name: string, value: string): [string, string][] => (value === '' ? [] : [[name, value]])
