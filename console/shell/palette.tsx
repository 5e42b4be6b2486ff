/** The palette: type to go to any screen, database or project. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useDatabases } from '../data/databases.ts'
import { useQuery } from '../data/query.ts'
import { isAdmin } from '../data/session.ts'
import { databasePath, routes } from '../routes.ts'

interface Entry {
  text: string
  group: string
  href: string
}

const maxShown = 50

export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const query = useSignal('')
  const selected = useSignal(0)
  const [, go] = useLocation()
  const entries = matching(useEntries(), query.value)
  useEffect(() => {
    const element = dialog.current!
    element.showModal()
    return () => element.close()
  }, [])
  useEffect(() => {
    document.getElementById(optionId(selected.value))?.scrollIntoView({ block: 'nearest' })
  }, [selected.value])

  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onClose()
    go(entry.href)
  }
  const keyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      selected.value = Math.min(Math.max(0, selected.value + step), entries.length - 1)
    }
    if (event.key === 'Enter') open(entries[selected.value])
  }
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to" onCancel={onClose}>
      <input
        class="input"
        type="text"
        role="combobox"
        aria-label="A screen, database or project"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries.length > 0 ? optionId(selected.value) : undefined}
        placeholder="A screen, database or project"
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value
          selected.value = 0
        }}
        onKeyDown={keyDown}
      />
      <div id="palette-list" class="palette-list" role="listbox" aria-label="Matches">
        {entries.map((entry, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          <div
            key={entry.href}
            id={optionId(at)}
            role="option"
            tabIndex={-1}
            aria-selected={at === selected.value}
            onClick={() => open(entry)}
          >
            {entry.text}
            <span class="group">{entry.group}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && (
        <p class="muted" role="status">
          Nothing has this name.
        </p>
      )}
    </dialog>
  )
}

const optionId = (at: number) => `palette-${at}`

function useEntries(): Entry[] {
  const databases = useDatabases().rows.value ?? []
  const projects = useQuery('project.all', {}).data.value ?? []
  const screens = routes.filter(({ nav, isForAdmins }) => nav !== undefined && (!isForAdmins || isAdmin()))
  return [
    ...screens.map(({ path, nav }) => ({ text: nav!.text, group: 'screen', href: path })),
    { text: 'Your account', group: 'screen', href: '/account' },
    { text: 'New database', group: 'action', href: '/databases/new' },
    ...databases.map(({ value: { databaseId, projectName, name, databaseType } }) => ({
      text: `${projectName}/${name}`,
      group: databaseType,
      href: databasePath(databaseId),
    })),
    ...projects.map(({ projectId, name }) => ({ text: name, group: 'project', href: `/projects/${projectId}` })),
  ]
}

/** The entries that contain all words. Those that begin with the first word come first. */
function matching(entries: Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.filter(({ text, group }) => {
    const whole = `${text} ${group}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
  const first = words[0] ?? ''
  const begins = ({ text }: Entry) => Number(text.toLowerCase().startsWith(first))
  return found.sort((a, b) => begins(b) - begins(a)).slice(0, maxShown)
}
