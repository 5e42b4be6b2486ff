/** The messages about conditions, the newest first: to which channel, and whether they arrived. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { FilterSelect } from '../../components/lists/filters.tsx'
import { OlderButton } from '../../components/lists/older-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty } from '../../components/page.tsx'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import type { api } from '../../data/api.ts'
import { conditionTitles, severityTone, subjectText } from '../../data/alerts/conditions.ts'
import { countText } from '../../data/format.ts'
import { usePages } from '../../data/lists/pages.ts'
import { useQuery } from '../../data/live/query.ts'
import { NoChannels } from './channels.tsx'

/** Messages have no events. In milliseconds. */
const rereadMs = 5000

type Message = Awaited<ReturnType<typeof api.alert.messages>>[number]

export function Messages() {
  const [channelId, state] = [useSignal(''), useSignal('')]
  const channels = useQuery('channel.all', {}).data.value
  if (channels?.length === 0) return <NoChannels />
  return (
    <>
      <div class="tools">
        <FilterSelect
          field={channelId}
          label="Channel"
          none="all"
          choices={channels?.map((each) => [each.channelId, each.name]) ?? []}
        />
        <FilterSelect
          field={state}
          label="State"
          none="all"
          choices={[
            ['waiting', 'waiting'],
            ['sent', 'sent'],
            ['gaveUp', 'given up'],
          ]}
        />
      </div>
      <MessageList key={`${channelId.value} ${state.value}`} channelId={channelId.value} state={state.value} />
    </>
  )
}

function MessageList({ channelId, state }: { channelId: string; state: string }) {
  const filter = { ...(channelId === '' ? {} : { channelId }), ...(state === '' ? {} : { state }) }
  const idOf = ({ messageId }: Message) => messageId
  const { query, older } = usePages('alert.messages', filter, idOf, { everyMs: rereadMs })
  return (
    <Loaded query={query} what="the messages">
      {(messages) =>
        messages.length === 0 ? (
          <Nothing isFiltered={channelId !== '' || state !== ''} />
        ) : (
          <>
            <div class="card">
              <ul class="list conditions">
                {messages.map((message) => (
                  <MessageItem key={message.messageId} message={message} />
                ))}
              </ul>
            </div>
            <OlderButton older={older} />
          </>
        )
      }
    </Loaded>
  )
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No such message">Messages of the last 30 days are listed.</Empty>
  ) : (
    <Empty title="No message yet">
      As soon as something needs attention, the <Link href="/alerts/channels">channels</Link> get a message about it.
    </Empty>
  )

function MessageItem({ message }: { message: Message }) {
  const { about, severity, conditions, more, channelName, createdAt, postponed } = message
  const [first, ...others] = conditions
  if (first === undefined) return null
  const further = others.length + more
  return (
    <li>
      <div class="condition-head">
        <State tone={about === 'resolved' ? 'good' : severityTone(severity)}>
          <span class="visually-hidden">{about === 'resolved' ? 'resolved' : severity}: </span>
          {conditionTitles[first.name]}
        </State>
        <strong>{subjectText(first)}</strong>
        <span class="muted small">
          {aboutTexts[about]} <Time at={createdAt} />
        </span>
      </div>
      {about !== 'resolved' && <p>{first.reason}</p>}
      {further > 0 && (
        <details>
          <summary>{`and ${countText(further, 'further condition')} of the same cause`}</summary>
          <ul>
            {others.map((other) => (
              <li key={other.conditionId}>
                {subjectText(other)}: {conditionTitles[other.name].toLowerCase()}
              </li>
            ))}
            {more > 0 && <li>{`${more} more`}</li>}
          </ul>
        </details>
      )}
      <p class="run-line small">
        <Delivery message={message} />
        <span class="muted">{message.state === 'sent' ? `by ${channelName}` : `for ${channelName}`}</span>
      </p>
      {postponed !== null && (
        <p class="muted small">
          {postponed.about === 'resolved' ? 'It has ended. This is reported' : 'News of it is reported'}{' '}
          <Time at={postponed.until} />
        </p>
      )}
    </li>
  )
}

const aboutTexts: Record<Message['about'], string> = { raised: 'began', repeated: 'still present', resolved: 'over' }

function Delivery({ message }: { message: Message }) {
  const { state, endedAt, lastError, nextAttemptAt } = message
  if (state === 'sent') {
    return (
      <>
        <State tone={lastError === null ? 'good' : 'warning'}>
          <span>
            accepted <Time at={endedAt!} />
          </span>
        </State>
        {lastError !== null && <span>{lastError}.</span>}
      </>
    )
  }
  const isOver = state === 'gaveUp'
  return (
    <>
      <State tone={isOver ? 'critical' : lastError === null ? 'working' : 'warning'}>
        {isOver ? 'given up after 24 hours' : 'waiting'}
      </State>
      {lastError !== null && <span>{lastError}.</span>}
      {nextAttemptAt !== null && lastError !== null && (
        <span class="muted">
          Next attempt <Time at={nextAttemptAt} />
        </span>
      )}
    </>
  )
}
