/** Conditions with their reasons, since when they are there, and where they can be mended. */
import { useMemo } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { ReasonText } from '../../components/reason-text.tsx'
import { State } from '../../components/state.tsx'
import { Duration, Time } from '../../components/time.tsx'
import { dumpedDatabase } from '../../data/kinds.ts'
import { useQuery } from '../../data/live/query.ts'
import { isAdmin } from '../../data/session.ts'
import { routes } from '../../routes.ts'
import { type Condition, conditionTitles, reasonText, remedyOf } from './conditions.ts'

export function ConditionList({ conditions }: { conditions: readonly Condition[] }) {
  const databaseOf = useDatabaseOfBackup(conditions.some(({ subjectKind }) => subjectKind === 'backup'))
  return (
    <ul class="list conditions">
      {conditions.map((condition) => (
        <ConditionItem key={condition.conditionId} condition={condition} databaseOf={databaseOf} />
      ))}
    </ul>
  )
}

interface ItemProps {
  condition: Condition
  databaseOf: (backupId: string) => string | undefined
}

function ConditionItem({ condition, databaseOf }: ItemProps) {
  const { name, severity, subjectName, since, endedAt } = condition
  const remedy = remedyOf(condition, databaseOf)
  return (
    <li>
      <div class="condition-head">
        <State tone={endedAt !== null ? 'neutral' : severity}>
          <span class="visually-hidden">{severity}: </span>
          {conditionTitles[name]}
        </State>
        <strong>{subjectName}</strong>
        <span class="muted small">
          {endedAt === null ? (
            <>
              began <Time at={since} />
            </>
          ) : (
            <>
              ended <Time at={endedAt} />, after <Duration from={since} to={endedAt} />
            </>
          )}
        </span>
      </div>
      <ReasonText text={reasonText(condition)} />
      {remedy !== null &&
        (mayOpen(remedy.href) ? (
          <Link class="remedy" href={remedy.href}>
            {remedy.text}
          </Link>
        ) : (
          <AskAdmin />
        ))}
    </li>
  )
}

const AskAdmin = () => <p class="muted small">An administrator can mend it.</p>

const mayOpen = (href: string) => isAdmin() || routes.find(({ path }) => path === href)?.isForAdmins !== true

/** @param isNeeded whether there is a condition of a backup: the list of all backups can be long */
function useDatabaseOfBackup(isNeeded: boolean) {
  const backups = useQuery('backup.all', isNeeded ? {} : null, { kinds: ['backup'] }).data.value
  return useMemo(() => {
    const byId = new Map(backups?.map((backup) => [backup.backupId, dumpedDatabase(backup)]))
    return (backupId: string) => byId.get(backupId) ?? undefined
  }, [backups])
}
