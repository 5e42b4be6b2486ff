/** What needs attention first, then the work under way, then the projects. */
import { useComputed, useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { NewDatabaseButton } from '../../components/access/role-button.tsx'
import { ProjectList } from '../../components/lists/project-list.tsx'
import { WorkTable } from '../../components/lists/work-table.tsx'
import { reachesAllProjects } from '../../data/access/rights.ts'
import { databaseState } from '../../data/database-state.ts'
import { useDatabases } from '../../data/lists/databases.ts'
import { countText } from '../../data/format.ts'
import { useProjects } from '../../data/lists/projects.ts'
import { useQuery } from '../../data/live/query.ts'
import { workOfDeployment, workOfRun } from '../../data/lists/work.ts'
import { ConditionList } from './condition-list.tsx'
import { type Condition, inOrder } from '../../data/alerts/conditions.ts'

export default function Overview() {
  return (
    <Page title="Overview" actions={<NewDatabaseButton />}>
      <Attention />
      <WorkUnderWay />
      <Projects />
    </Page>
  )
}

const PastLink = () => <Link href="/conditions">What needed attention before</Link>

function Attention() {
  const conditions = useQuery('condition.all', {})
  return (
    <section class="stack" aria-labelledby="attention">
      <div class="card-head">
        <h2 id="attention">Needs attention</h2>
        <PastLink />
      </div>
      <Loaded query={conditions} what="what needs attention">
        {(found) => (found.length === 0 ? <AllGood /> : <Conditions conditions={inOrder(found)} />)}
      </Loaded>
    </section>
  )
}

/** A database is down before the condition begins, and after a failed deploy. */
function AllGood() {
  const { rows } = useDatabases()
  const down = useComputed(
    () => rows.value?.filter((row) => ['down', 'restarting'].includes(databaseState(row.value))).length ?? 0,
  )
  if (down.value > 0) {
    return (
      <Notice tone="warning">
        <p>
          Berth reports no lasting problem, but{' '}
          <Link href="/databases?state=down">{`${countText(down.value, 'database')} down`}</Link>.
        </p>
      </Notice>
    )
  }
  return (
    <Notice tone="good">
      <p>
        <strong>Nothing needs attention.</strong> Databases, backups, nodes and certificates are as they should be.
      </p>
    </Notice>
  )
}

const shownFirst = 10

function Conditions({ conditions }: { conditions: Condition[] }) {
  const isWhole = useSignal(false)
  const count = (severity: Condition['severity']) => conditions.filter((each) => each.severity === severity).length
  const [critical, warnings, notes] = [count('critical'), count('warning'), count('info')]
  const shown = isWhole.value ? conditions : conditions.slice(0, shownFirst)
  return (
    <div class="card">
      <p class="muted">
        {[
          critical > 0 && `${critical} critical`,
          warnings > 0 && countText(warnings, 'warning'),
          notes > 0 && countText(notes, 'note'),
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      <ConditionList conditions={shown} />
      {shown.length < conditions.length && (
        <Button onClick={() => (isWhole.value = true)}>{`Show all ${conditions.length}`}</Button>
      )}
    </div>
  )
}

function WorkUnderWay() {
  const deployments = useQuery('deployment.all', { state: 'running', limit: 50 }).data.value ?? []
  const runs = useQuery('backup.runs', { status: 'running', limit: 50 }).data.value ?? []
  const work = [...deployments.map(workOfDeployment), ...runs.map(workOfRun)]
  return (
    <section class="stack" aria-labelledby="work">
      <div class="card-head">
        <h2 id="work">Work under way</h2>
        <Link href="/work">All work</Link>
      </div>
      {work.length === 0 ? (
        <p class="muted">Berth does nothing at the moment.</p>
      ) : (
        <WorkTable caption="Work under way" work={work} />
      )}
    </section>
  )
}

function Projects() {
  const projects = useProjects()
  const databases = useDatabases()
  return (
    <section class="stack" aria-labelledby="projects">
      <div class="card-head">
        <h2 id="projects">Projects</h2>
        <Link href="/projects">All projects</Link>
      </div>
      <Loaded query={projects} what="the projects">
        {(all) => (all.length === 0 ? <NoProjects /> : <ProjectList projects={all} rows={databases.rows} />)}
      </Loaded>
    </section>
  )
}

function NoProjects() {
  if (!reachesAllProjects()) {
    return (
      <Empty title="You are a member of no project">
        An administrator, or an owner of a project, can add you under Projects.
      </Empty>
    )
  }
  return (
    <Empty
      title="Nothing here yet"
      action={<NewDatabaseButton kind="primary">Create the first database</NewDatabaseButton>}
    >
      A project holds the databases of one product or team. The first database creates its project, too.
    </Empty>
  )
}
