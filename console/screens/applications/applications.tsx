/** Routing: the applications on the swarm, and where a URL leads. */
import { Link } from 'wouter-preact'
import type { Operations } from '../../../client/client.ts'
import { CodeBlock } from '../../components/copy.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { State, type Tone } from '../../components/state.tsx'
import { Table } from '../../components/table.tsx'
import { countText } from '../../data/format.ts'
import { useQuery } from '../../data/live/query.ts'
import { LooseRules } from './loose-rules.tsx'
import { RedirectTester } from './tester.tsx'

export type Application = Awaited<ReturnType<Operations['application']['all']>>[number]

const example = `docker service create --name web --network berth \\
  --label berth.host=shop.example.org --label berth.port=8080 \\
  IMAGE`

export default function Applications() {
  const applications = useQuery('application.all', {})
  return (
    <Page
      title="Routing"
      sub="Applications are services that you deploy yourself. Berth's proxy serves those with the label berth.host."
    >
      <Loaded query={applications} what="the applications">
        {(all) => (
          <>
            {all.length === 0 ? (
              <Empty title="There is no application yet" action={<CodeBlock text={example} what="the command" />}>
                Create a service on the network berth, and name its hosts in a label:
              </Empty>
            ) : (
              <ApplicationTable applications={all} />
            )}
            <LooseRules applications={all} />
            <section class="card">
              <h2>Where does a URL lead?</h2>
              <RedirectTester />
            </section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

const ApplicationTable = ({ applications }: { applications: Application[] }) => (
  <Table
    caption="Applications"
    columns={[
      { title: 'Name', cell: ({ applicationId, name }) => <Link href={`/applications/${applicationId}`}>{name}</Link> },
      { title: 'State', cell: (application) => <Health application={application} /> },
      { title: 'Hosts', cell: (application) => <Hosts application={application} /> },
      { title: 'Served', cell: (application) => <Served application={application} /> },
      { title: 'Rules', cell: rulesText },
    ]}
    rows={applications}
    rowKey={({ applicationId }) => applicationId}
  />
)

const tones: Record<Application['health'], Tone> = {
  ...{ up: 'good', degraded: 'warning', down: 'critical', stopped: 'neutral' },
}

export const Health = ({ application: { health, running, replicas } }: { application: Application }) => (
  <>
    <State tone={tones[health]}>{health}</State>
    <div class="muted small">
      {running} of {countText(replicas, 'replica')}
    </div>
  </>
)

function Hosts({ application: { hosts, tls } }: { application: Application }) {
  if (hosts.length === 0) return <span class="muted">none</span>
  return (
    <>
      {hosts.map((host) => (
        <div key={host} class="link-line">
          <a href={`${tls === 'auto' ? 'https' : 'http'}://${host}`} rel="noreferrer" target="_blank">
            {host}
          </a>
        </div>
      ))}
    </>
  )
}

export function Served({ application: { served, reason, hosts, faults } }: { application: Application }) {
  if (served && faults.length === 0) return <State tone="good">served</State>
  if (hosts.length === 0 && faults.length === 0) return <span class="muted">has no label berth.host</span>
  return (
    <>
      <State tone="warning">{served ? 'served, with faults' : 'not served'}</State>
      {[reason, ...faults].filter(Boolean).map((text) => (
        <div key={text} class="small">
          {text}
        </div>
      ))}
    </>
  )
}

function rulesText({ redirects, securities, ports }: Application) {
  const parts = [
    redirects.length > 0 && countText(redirects.length, 'redirect'),
    securities.length > 0 && countText(securities.length, 'user'),
    ports.length > 0 && countText(ports.length, 'port'),
  ].filter(Boolean)
  return parts.length === 0 ? <span class="muted">none</span> : parts.join(', ')
}
