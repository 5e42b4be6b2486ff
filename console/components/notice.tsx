/** Messages in the page: what is good, wrong or under way. */
import type { ComponentChildren } from 'preact'
import { BerthError } from '../../client/client.ts'
import { errorText } from '../data/api.ts'
import { toneIcons } from './state.tsx'
import { InfoIcon } from './icons.tsx'

interface Props {
  tone?: 'good' | 'warning' | 'critical' | 'working' | 'neutral'
  /** Whether a screen reader reads the message when it appears. */
  announce?: boolean
  children: ComponentChildren
}

export function Notice({ tone = 'neutral', announce = false, children }: Props) {
  const ToneIcon = tone === 'neutral' ? InfoIcon : toneIcons[tone]
  return (
    <div class={`notice ${tone}`} role={announce ? (tone === 'critical' ? 'alert' : 'status') : undefined}>
      <ToneIcon />
      <div class="notice-body">{children}</div>
    </div>
  )
}

/** A failure, with the fields that Berth names and the id of the request for Berth's log. */
export function ErrorNotice({ error, children }: { error: unknown; children?: ComponentChildren }) {
  const { issues = [], requestId = null, status = 0 } = error instanceof BerthError ? error : {}
  return (
    <Notice tone="critical" announce>
      <p>{errorText(error)}</p>
      {issues.length > 1 && (
        <ul>
          {issues.map(({ path, message }) => (
            <li key={path}>
              {path !== '' && <strong>{path} </strong>}
              {message}
            </li>
          ))}
        </ul>
      )}
      {status >= 500 && requestId !== null && (
        <p class="small">
          Request id in Berth's log: <code>{requestId}</code>
        </p>
      )}
      {children}
    </Notice>
  )
}
