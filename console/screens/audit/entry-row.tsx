/** One entry of the audit log. It opens to show everything that Berth has recorded. */
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { exactText } from '../../data/format.ts'
import type { Entry } from './entries.ts'

const kindWords: Record<Entry['kind'], string> = {
  none: 'no token: a sign-in',
  installation: 'the installation token',
  invitation: 'an invitation',
  challenge: 'a sign-in that waits for the second factor',
  session: 'a session',
  api: 'an API token',
  machine: 'a command on the machine',
}

export function EntryRow({ entry }: { entry: Entry }) {
  const isGood = entry.result === 'OK'
  return (
    <li>
      <details>
        <summary>
          <code>{entry.operation}</code>
          <span>{entry.email ?? <span class="muted">{kindWords[entry.kind]}</span>}</span>
          <State tone={isGood ? 'good' : 'critical'}>{isGood ? 'accepted' : entry.result}</State>
          <span class="muted">
            <Time at={entry.at} />
          </span>
        </summary>
        <dl class="facts">
          <dt>Time</dt>
          <dd>{exactText(Date.parse(entry.at))}</dd>
          <dt>Called with</dt>
          <dd>{kindWords[entry.kind]}</dd>
          <dt>From address</dt>
          <dd>{entry.address || 'the machine itself'}</dd>
          <dt>Result</dt>
          <dd>{isGood ? 'OK: the call was accepted. Work shows how its work ended.' : entry.result}</dd>
          {entry.details?.event === 'confirmed' && (
            <>
              <dt>Confirmed with</dt>
              <dd>{entry.details.factor === 'app' ? 'a code of the authenticator app' : 'a recovery code'}</dd>
            </>
          )}
          {entry.details !== null && 'rights' in entry.details && entry.details.rights !== undefined && (
            <>
              <Identity name="Account whose rights were changed" value={entry.details.rights.accountId} />
              <dt>Its rights after the call</dt>
              <dd>{rightsText(entry.details.rights)}</dd>
            </>
          )}
          <Identity name="Record" value={entry.record} />
          <Identity name="Account" value={entry.accountId} />
          <Identity name="Token or session" value={entry.tokenId} />
          <Identity name="Number of the entry" value={entry.auditId} />
          <Identity name="Hash" value={entry.hash} />
        </dl>
      </details>
    </li>
  )
}

function rightsText({ role, allProjects }: { role?: string | null; allProjects?: boolean }): string {
  if (role !== undefined) return role ?? 'no member of the project'
  return allProjects === true ? 'reaches all projects' : 'reaches only its projects'
}

const Identity = ({ name, value }: { name: string; value: string | null }) => (
  <>
    <dt>{name}</dt>
    <dd>{value === null ? <span class="muted">none</span> : <code>{value}</code>}</dd>
  </>
)
