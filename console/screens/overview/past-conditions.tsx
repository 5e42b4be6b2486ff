/** Conditions that have ended. */
import { useSignal } from '@preact/signals'
import { FilterSelect } from '../../components/lists/filters.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { OlderButton } from '../../components/lists/older-button.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { usePages } from '../../data/lists/pages.ts'
import { ConditionList } from './condition-list.tsx'
import type { Condition } from '../../data/alerts/conditions.ts'

export default function PastConditions() {
  const severity = useSignal('')
  return (
    <Page title="What needed attention before" sub="Conditions that ended in the last 90 days, the newest first.">
      <div class="tools">
        <FilterSelect
          field={severity}
          label="Severity"
          none="all"
          choices={[
            ['critical', 'critical'],
            ['warning', 'warning'],
          ]}
        />
      </div>
      <Ended key={severity.value} severity={severity.value} />
    </Page>
  )
}

function Ended({ severity }: { severity: string }) {
  const input = { state: 'ended', ...(severity === '' ? {} : { severity }) }
  const { query, older } = usePages<Condition>('condition.all', input, ({ conditionId }) => conditionId)
  return (
    <Loaded query={query} what="past conditions">
      {(conditions) =>
        conditions.length === 0 ? (
          <Empty title="Nothing ended lately">What needs attention now is on the overview.</Empty>
        ) : (
          <>
            <div class="card">
              <ConditionList conditions={conditions} />
            </div>
            <OlderButton older={older} />
          </>
        )
      }
    </Loaded>
  )
}
