/** What Berth does and did: deployments, and runs of backups. */
import type { Run } from '../../../client/client.ts'
import { FilterSelect } from '../../components/lists/filters.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { OlderButton } from '../../components/lists/older-button.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { WorkTable } from '../../components/lists/work-table.tsx'
import { usePages } from '../../data/lists/pages.ts'
import { useProjects } from '../../data/lists/projects.ts'
import { useUrlFields } from '../../data/lists/url-fields.ts'
import { type Deployment, workOfDeployment, workOfRun } from '../../data/lists/work.ts'

const tabs = [
  { href: '/work', text: 'Deployments' },
  { href: '/work?show=backups', text: 'Backups and restores' },
]

const states = {
  deployments: [
    ['running', 'in progress'],
    ['done', 'succeeded'],
    ['error', 'failed'],
    ['superseded', 'replaced by later work'],
  ],
  backups: [
    ['running', 'in progress'],
    ['done', 'succeeded'],
    ['error', 'failed'],
    ['skipped', 'not run'],
  ],
} as const

export default function Work() {
  const { show, state, project } = useUrlFields(['show', 'state', 'project'])
  const isBackups = show.value === 'backups'
  const projects = useProjects().data.value ?? []
  return (
    <Page title="Work" sub="What Berth does and did in the last 90 days. It goes on when this page is closed.">
      <Tabs label="Kinds of work" tabs={tabs} current={tabs[isBackups ? 1 : 0]!.href} />
      <div class="tools">
        <FilterSelect
          field={state}
          label="Outcome"
          none="all"
          choices={isBackups ? states.backups : states.deployments}
        />
        {!isBackups && (
          <FilterSelect
            field={project}
            label="Project"
            none="all"
            choices={projects.map(({ projectId, name }) => [projectId, name] as const)}
          />
        )}
      </div>
      {isBackups ? (
        <Runs key={`runs ${state.value}`} state={state.value} />
      ) : (
        <Deployments key={`${state.value} ${project.value}`} state={state.value} projectId={project.value} />
      )}
    </Page>
  )
}

/** Empty fields limit nothing. */
const given = (input: Record<string, string>) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ''))

function Deployments({ state, projectId }: { state: string; projectId: string }) {
  const pages = usePages<Deployment>('deployment.all', given({ state, projectId }), (row) => row.deploymentId)
  return (
    <Loaded query={pages.query} what="the deployments">
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="No such work">A deployment starts a database or changes it to its record.</Empty>
        ) : (
          <>
            <WorkTable caption="Deployments" work={rows.map(workOfDeployment)} />
            <OlderButton older={pages.older} />
          </>
        )
      }
    </Loaded>
  )
}

function Runs({ state }: { state: string }) {
  const pages = usePages<Run>('backup.runs', given({ status: state }), (row) => row.runId)
  return (
    <Loaded query={pages.query} what="the runs of backups">
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="No such work">
            A run makes a backup, verifies one by restoring it into a scratch server, or restores one.
          </Empty>
        ) : (
          <>
            <WorkTable caption="Backups, verifications and restores" work={rows.map(workOfRun)} />
            <OlderButton older={pages.older} />
          </>
        )
      }
    </Loaded>
  )
}
