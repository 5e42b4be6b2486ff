/** One application: its hosts, and the rules about it. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { Button, LinkButton } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { State } from '../../components/state.tsx'
import { Table } from '../../components/table.tsx'
import { Time, TimeOr } from '../../components/time.tsx'
import { useQuery } from '../../data/live/query.ts'
import type { Parameters } from '../../lazy.tsx'
import { type Application, Health, Served } from './applications.tsx'
import { PortDialog, PortList } from './ports.tsx'
import { RedirectDialog, RedirectList } from './redirects.tsx'
import { RedirectTester } from './tester.tsx'
import { UserDialog, UserList } from './users.tsx'

export default function ApplicationScreen({ applicationId }: Parameters) {
  const applications = useQuery('application.all', {})
  const application = applications.data.value?.find((each) => each.applicationId === applicationId)
  return (
    <Page
      title={application?.name ?? 'Application'}
      within="Routing"
      sub={
        <>
          An application under <Link href="/applications">Routing</Link>
        </>
      }
    >
      <Loaded query={applications} what="the application">
        {() => (application === undefined ? <Gone /> : <Sections application={application} />)}
      </Loaded>
    </Page>
  )
}

const Gone = () => (
  <Notice tone="warning">
    <p>This service is no longer on the swarm. A service that is created again has another address here.</p>
    <LinkButton href="/applications">All applications</LinkButton>
  </Notice>
)

function Sections({ application }: { application: Application }) {
  const { applicationId, name, alias, port, published, onNetwork, createdAt } = application
  // A rule that names the label stays in force when the service is created again.
  const reference = alias ?? name
  return (
    <>
      <section class="card">
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <Health application={application} />
          </dd>
          <dt>Proxy</dt>
          <dd>
            <Served application={application} />
          </dd>
          <dt>Hosts</dt>
          <dd>{application.hosts.join(', ') || <span class="muted">none: set the label berth.host</span>}</dd>
          <dt>Listens on</dt>
          <dd>port {port}</dd>
          <dt>Name for rules</dt>
          <dd>
            <code>{reference}</code>
          </dd>
          <dt>Berth's network</dt>
          <dd>{onNetwork ? 'attached' : <State tone="warning">not attached, so not reachable</State>}</dd>
          {published.length > 0 && (
            <>
              <dt>Publishes itself</dt>
              <dd>{published.map((each) => `${each.port}/${each.protocol}`).join(', ')}</dd>
            </>
          )}
          <dt>Created</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
        </dl>
      </section>
      {application.issuances.length > 0 && <Issuances issuances={application.issuances} />}
      <Redirects ids={application.redirects} applicationId={applicationId} reference={reference} />
      <Users ids={application.securities} reference={reference} />
      <Ports ids={application.ports} reference={reference} />
    </>
  )
}

const Issuances = ({ issuances }: { issuances: Application['issuances'] }) => (
  <section class="stack">
    <h2>Certificates by ACME</h2>
    <Table
      caption="Certificates by ACME"
      columns={[
        { title: 'Host', cell: ({ name }) => name },
        { title: 'Expires', cell: ({ notAfter }) => <TimeOr at={notAfter} none="none yet" /> },
        { title: 'Last failure', cell: ({ error }) => error ?? <span class="muted">none</span> },
        { title: 'Next attempt', cell: ({ nextTryAt }) => <TimeOr at={nextTryAt} none="not planned" /> },
      ]}
      rows={issuances}
      rowKey={({ name }) => name}
    />
  </section>
)

interface RulesProps {
  ids: string[]
  /** How new rules name the application. */
  reference: string
}

function Redirects({ ids, reference, applicationId }: RulesProps & { applicationId: string }) {
  const all = useQuery('redirects.all', {})
  const isOpen = useSignal(false)
  return (
    <section class="card" aria-labelledby="redirects">
      <div class="card-head">
        <h2 id="redirects">Redirects</h2>
        <Button onClick={() => (isOpen.value = true)}>Add a redirect</Button>
      </div>
      <p class="muted">The proxy tries them in this order. It uses the first one whose pattern is found in the URL.</p>
      <Loaded query={all} what="the redirects">
        {(list) => {
          const redirects = ids.flatMap((id) => list.filter(({ redirectId }) => redirectId === id))
          return redirects.length === 0 ? (
            <Empty title="No redirects">All requests go to the application.</Empty>
          ) : (
            <RedirectList redirects={redirects} />
          )
        }}
      </Loaded>
      <h3>Test a URL</h3>
      <RedirectTester applicationId={applicationId} />
      {isOpen.value && <RedirectDialog applicationId={reference} onClose={() => (isOpen.value = false)} />}
    </section>
  )
}

function Users({ ids, reference }: RulesProps) {
  const all = useQuery('security.all', {})
  const isOpen = useSignal(false)
  return (
    <section class="card" aria-labelledby="users">
      <div class="card-head">
        <h2 id="users">Basic auth</h2>
        <Button onClick={() => (isOpen.value = true)}>Add a user</Button>
      </div>
      <Loaded query={all} what="the users">
        {(list) => {
          const users = list.filter(({ securityId }) => ids.includes(securityId))
          return users.length === 0 ? (
            <Empty title="No users">
              Everybody can open the application. With one user, the proxy asks all visitors for a name and a password.
            </Empty>
          ) : (
            <UserList users={users} />
          )
        }}
      </Loaded>
      {isOpen.value && <UserDialog applicationId={reference} onClose={() => (isOpen.value = false)} />}
    </section>
  )
}

function Ports({ ids, reference }: RulesProps) {
  const all = useQuery('port.all', {})
  const isOpen = useSignal(false)
  return (
    <section class="card" aria-labelledby="ports">
      <div class="card-head">
        <h2 id="ports">Published ports</h2>
        <Button onClick={() => (isOpen.value = true)}>Publish a port</Button>
      </div>
      <Loaded query={all} what="the ports">
        {(list) => {
          const ports = list.filter(({ portId }) => ids.includes(portId))
          return ports.length === 0 ? (
            <Empty title="No published ports">
              HTTP needs none, because the proxy serves it. Publish a port for another TCP or UDP protocol: Berth runs a
              gateway, which forwards to the application.
            </Empty>
          ) : (
            <PortList ports={ports} />
          )
        }}
      </Loaded>
      {isOpen.value && <PortDialog applicationId={reference} onClose={() => (isOpen.value = false)} />}
    </section>
  )
}
