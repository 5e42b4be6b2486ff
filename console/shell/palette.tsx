/** The palette: type to go to any screen, database or project. */
import { computed, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useRights, whyClosed } from '../data/access/rights.ts'
import { databaseState } from '../data/database-state.ts'
import { useDatabases } from '../data/lists/databases.ts'
import { kindLabels } from '../data/kinds.ts'
import { useProjects } from '../data/lists/projects.ts'
import { account } from '../data/session.ts'
import { databasePath, routes } from '../routes.ts'
import { type Entry, entryOf, matching, withRecent } from './palette-entries.ts'

export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const query = useSignal('')
  const selected = useSignal(0)
  const [, go] = useLocation()
  const recent = useMemo(readRecent, [])
  const entries = matching(useEntries().value, query.value, recent)
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
    keepRecent(withRecent(recent, entry.href))
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
      <Options entries={entries} selected={selected.value} onOpen={open} />
      {entries.length === 0 && (
        <p class="muted" role="status">
          Nothing has this name.
        </p>
      )}
    </dialog>
  )
}

interface OptionsProps {
  entries: readonly Entry[]
  selected: number
  onOpen: (entry: Entry) => void
}

const Options = ({ entries, selected, onOpen }: OptionsProps) => (
  <div id="palette-list" class="palette-list" role="listbox" aria-label="Matches">
    {entries.map((entry, at) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
      <div
        key={`${entry.group} ${entry.href}`}
        id={optionId(at)}
        role="option"
        tabIndex={-1}
        aria-selected={at === selected}
        onClick={() => onOpen(entry)}
      >
        {entry.text}
        <span class="group">{entry.group}</span>
      </div>
    ))}
  </div>
)

const optionId = (at: number) => `palette-${at}`

/** Made anew only if a name or state has changed. */
function useEntries() {
  const { rows } = useDatabases()
  const projects = useProjects().data
  const isOwner = useRights().whyNowhere('owner') === null
  return useMemo(
    () =>
      computed((): Entry[] => [
        ...screens(),
        ...(isOwner ? [entryOf('New database', 'action', '/databases/new')] : []),
        ...(rows.value ?? []).map(({ value: database }) =>
          entryOf(
            `${database.projectName}/${database.name}`,
            `${kindLabels[database.databaseType]}, ${databaseState(database)}`,
            databasePath(database.databaseId),
          ),
        ),
        ...(projects.value ?? []).map(({ projectId, name }) => entryOf(name, 'project', `/projects/${projectId}`)),
      ]),
    [rows, projects, isOwner],
  )
}

function screens(): Entry[] {
  const allowed = routes.filter((route) => route.nav !== undefined && whyClosed(route) === null)
  return [
    ...allowed.map(({ path, nav }) => entryOf(nav!.text, 'screen', path)),
    entryOf('Your account', 'screen', '/account'),
  ]
}

/** Addresses contain no secrets. Each account has its own. */
const recentKey = () => `berth-recent-${account().id}`

function readRecent(): string[] {
  try {
    return JSON.parse(localStorage.getItem(recentKey()) ?? '[]') as string[]
  } catch {
    return []
  }
}

function keepRecent(recent: readonly string[]) {
  try {
    localStorage.setItem(recentKey(), JSON.stringify(recent))
  } catch {
    // A browser may have no storage for the page. Then nothing is recent.
  }
}
