/** The tab State of a database: the reason with what to do, what runs, TLS, drift, and past work. */
import { Link } from 'wouter-preact'
import { Notice } from '../../../components/notice.tsx'
import { ReasonText } from '../../../components/reason-text.tsx'
import { State } from '../../../components/state.tsx'
import { TimeOr } from '../../../components/time.tsx'
import { databasePath } from '../../../routes.ts'
import { ActionButtons } from '../actions/action-buttons.tsx'
import { PresentStatus } from '../head.tsx'
import type { TabProps } from '../view.ts'
import { databaseState } from '../../../data/database-state.ts'
import { containerText } from '../work-words.ts'
import { type Advice, adviceFor, driftOutcome, exitCodeText } from './advice.ts'
import { CertificateCard } from './certificate.tsx'
import { Deployments } from './deployments.tsx'

export function StateTab(props: TabProps) {
  return (
    <>
      <div class="columns">
        <Now {...props} />
        <WhatRuns {...props} />
      </div>
      <CertificateCard {...props} />
      <Drift {...props} />
      <Deployments {...props} />
    </>
  )
}

function Now(props: TabProps) {
  const { record } = props
  return (
    <section class="card" aria-labelledby="now">
      <div class="card-head">
        <h2 id="now">State</h2>
        <PresentStatus record={record} />
      </div>
      <p>
        {databaseState(record) === 'restarting'
          ? 'The container has ended, and Swarm starts it again.'
          : stateText[record.applicationStatus]}
      </p>
      {record.statusReason !== null && <ReasonText text={record.statusReason} />}
      <AdviceText {...props} />
      <div class="buttons">
        <ActionButtons {...props} actions={['deploy', 'start', 'stop', 'reload']} />
      </div>
      <p class="hint">
        Deploy applies the saved settings and starts the database. Start uses the settings of the last deploy. Restart
        replaces the container.
      </p>
    </section>
  )
}

const stateText: Record<TabProps['record']['applicationStatus'], string> = {
  done: 'Berth has logged in to the database: it answers.',
  error: 'The last work on it failed, or Berth cannot log in to it.',
  running: 'Work is under way. Its progress is above.',
  idle: 'The database is stopped or was never deployed. Nobody can connect.',
}

const screenNames = { '/nodes': 'Nodes', '/registries': 'Registries', '/volumes': 'Volumes' }

function AdviceText({ record, databaseId }: TabProps) {
  const advice = adviceFor(record.statusCode)
  const exitCode = exitCodeText(record.statusReason)
  if (advice === null && exitCode === null) return null
  return (
    <Notice>
      {advice !== null && <AdviceLines advice={advice} databaseId={databaseId} />}
      {exitCode !== null && <p>{exitCode}</p>}
    </Notice>
  )
}

const AdviceLines = ({ advice: { text, tab, screen }, databaseId }: { advice: Advice; databaseId: string }) => (
  <>
    <p>
      <strong>What to do:</strong> {text}
    </p>
    {tab !== undefined && (
      <p>
        <Link href={databasePath(databaseId, tab)}>Open {tab[0]!.toUpperCase() + tab.slice(1)}</Link>
      </p>
    )}
    {screen !== undefined && (
      <p>
        <Link href={screen}>Open {screenNames[screen]}</Link>
      </p>
    )}
  </>
)

function WhatRuns({ record }: TabProps) {
  return (
    <section class="card" aria-labelledby="runs">
      <h2 id="runs">What runs</h2>
      <dl class="facts">
        <dt>Container</dt>
        <dd>{containerText(record.containerState)}</dd>
        <dt>Node</dt>
        <dd>{record.node ?? <span class="muted">chosen by the first deploy</span>}</dd>
        <dt>Image</dt>
        <dd>
          <code>{record.dockerImage}</code>
          {record.resolvedImage !== record.dockerImage && (
            <>
              , which stands for <code>{record.resolvedImage}</code>
            </>
          )}
        </dd>
        <dt>Exact image</dt>
        <dd>
          {record.imageDigest === null ? (
            <span class="muted">not resolved yet</span>
          ) : (
            <code class="digest">{record.imageDigest}</code>
          )}
        </dd>
        <dt>Version</dt>
        <dd>{record.imageVersion ?? <span class="muted">unknown</span>}</dd>
        <dt>Volume</dt>
        <dd>
          {record.volume === null ? (
            <span class="muted">created by the first deploy</span>
          ) : (
            <code>{record.volume}</code>
          )}
        </dd>
        <dt>Host name</dt>
        <dd>
          <code>{record.appName}</code>
        </dd>
        <dt>Last deployed</dt>
        <dd>
          <TimeOr at={record.lastDeployedAt} none="never" />
        </dd>
        <dt>Created</dt>
        <dd>
          <TimeOr at={record.createdAt} none="" />
        </dd>
      </dl>
    </section>
  )
}

/** What is expected, and what Berth found instead. */
function Drift({ record }: TabProps) {
  const isWatched = record.lastDeployedAt !== null && record.applicationStatus !== 'idle'
  return (
    <section class="card" aria-labelledby="drift">
      <div class="card-head">
        <h2 id="drift">Drift</h2>
        {record.drift.length > 0 ? (
          <State tone="warning">differs</State>
        ) : (
          isWatched && <State tone="good">as deployed</State>
        )}
      </div>
      <p class="hint">
        Drift is a difference between what was deployed and what runs, for example after a change by hand.
      </p>
      {record.drift.length === 0 ? (
        <p>
          {isWatched
            ? 'What runs is what was deployed.'
            : 'Nothing is compared before the first deploy has succeeded, and while the database is stopped.'}
        </p>
      ) : (
        <ul class="list">
          {record.driftDetails.map((detail) => (
            <DriftItem key={detail.code + detail.found} {...detail} />
          ))}
        </ul>
      )}
    </section>
  )
}

const subjects: Record<string, string> = {
  service: 'The Swarm service',
  container: 'The container',
  gateway: 'The gateway of the external port',
  node: 'The node of the volume',
}

function DriftItem({ code, subject, expected, found }: TabProps['record']['driftDetails'][number]) {
  return (
    <li class="stack">
      {subjects[subject] !== undefined && <h3>{subjects[subject]}</h3>}
      <dl class="facts">
        <dt>Expected</dt>
        <dd>{expected}</dd>
        <dt>Found</dt>
        <dd>
          <strong>{found}</strong>
        </dd>
        <dt>What happens</dt>
        <dd>{driftOutcome(code)}</dd>
      </dl>
    </li>
  )
}
