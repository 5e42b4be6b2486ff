/** A table that becomes a list of cards on a phone. */
import type { ComponentChildren } from 'preact'

export interface Column<T> {
  title: string
  cell: (row: T) => ComponentChildren
  isNumber?: boolean
}

interface Props<T> {
  /** What the table lists, for a screen reader. */
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  rowKey: (row: T) => string
  /** The buttons of a row. */
  actions?: (row: T) => ComponentChildren
}

export function Table<T>({ caption, columns, rows, rowKey, actions }: Props<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
    <section class="table-wrap" aria-label={caption} tabIndex={0}>
      <table class="table cards">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : ''}>
                {title}
              </th>
            ))}
            {actions !== undefined && (
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ title, cell, isNumber }) => (
                <td key={title} class={isNumber ? 'number' : ''} data-label={title}>
                  <div>{cell(row)}</div>
                </td>
              ))}
              {actions !== undefined && (
                <td class="actions" data-label="">
                  <div>{actions(row)}</div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
