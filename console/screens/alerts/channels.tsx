/** Where messages go, and whether they arrive. */
import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { ErrorNotice, Notice } from '../../components/notice.tsx'
import { Empty } from '../../components/page.tsx'
import { State } from '../../components/state.tsx'
import { Time, TimeOr } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { type Channel, typeTexts } from '../../data/alerts/channel-input.ts'
import { rulesText } from '../../data/alerts/channel-rules.ts'
import { countText } from '../../data/format.ts'
import { useProjects } from '../../data/lists/projects.ts'
import { useQuery } from '../../data/live/query.ts'
import { EditChannel, NewChannel } from './channel-form.tsx'

export function NewChannelButton() {
  const isAdding = useSignal(false)
  return (
    <>
      <Button kind="primary" onClick={() => (isAdding.value = true)}>
        Add a channel
      </Button>
      {isAdding.value && <NewChannel onClose={() => (isAdding.value = false)} />}
    </>
  )
}

export function Channels() {
  const channels = useQuery('channel.all', {})
  return (
    <Loaded query={channels} what="the channels">
      {(list) =>
        list.length === 0 ? (
          <NoChannels />
        ) : (
          list.map((channel) => <ChannelCard key={channel.channelId} channel={channel} />)
        )
      }
    </Loaded>
  )
}

export const NoChannels = () => (
  <Empty title="Nobody is told yet">
    Add a channel: a webhook, a room in Slack, Discord or Telegram, a topic of ntfy, or e-mail.
  </Empty>
)

function ChannelCard({ channel }: { channel: Channel }) {
  const { channelId, name, server, enabled } = channel
  const dialog = useSignal<'edit' | 'remove' | null>(null)
  const close = () => (dialog.value = null)
  return (
    <section class="card" aria-label={name}>
      <div class="card-head">
        <div class="run-line">
          <h2>{name}</h2>
          <ChannelState channel={channel} />
        </div>
        <div class="buttons">
          <Button small onClick={() => (dialog.value = 'edit')}>
            Change
          </Button>
          <Button small kind="danger" onClick={() => (dialog.value = 'remove')}>
            Remove
          </Button>
        </div>
      </div>
      <Facts channel={channel} />
      {enabled && hasFailedLast(channel) && (
        <Notice tone="warning">
          <p>
            {channel.lastError}. That was <Time at={channel.lastErrorAt!} />.
          </p>
        </Notice>
      )}
      <TestChannel channelId={channelId} server={server} />
      {dialog.value === 'edit' && <EditChannel channelId={channelId} onClose={close} />}
      {dialog.value === 'remove' && <RemoveChannel channel={channel} onClose={close} />}
    </section>
  )
}

function Facts({ channel }: { channel: Channel }) {
  const { type, server, recipients, queued, gaveUp, lastSuccessAt, oldestQueuedAt } = channel
  return (
    <dl class="facts">
      <dt>{typeTexts[type].text}</dt>
      <dd>
        <code>{server}</code>
      </dd>
      {recipients.length > 0 && (
        <>
          <dt>To</dt>
          <dd>{recipients.join(', ')}</dd>
        </>
      )}
      <dt>Messages</dt>
      <dd>
        <Rules channel={channel} />
      </dd>
      <dt>Last accepted</dt>
      <dd>
        <TimeOr at={lastSuccessAt} none="nothing yet" />
      </dd>
      {queued > 0 && (
        <>
          <dt>Waiting</dt>
          <dd>
            {countText(queued, 'message')}, the oldest from <Time at={oldestQueuedAt!} />
          </dd>
        </>
      )}
      {gaveUp > 0 && (
        <>
          <dt>Given up</dt>
          <dd>{countText(gaveUp, 'message')} of the last 30 days</dd>
        </>
      )}
    </dl>
  )
}

const hasFailedLast = ({ lastErrorAt, lastSuccessAt }: Channel) =>
  lastErrorAt !== null && (lastSuccessAt === null || lastErrorAt > lastSuccessAt)

function ChannelState({ channel }: { channel: Channel }) {
  if (!channel.enabled) return <State tone="neutral">switched off</State>
  if (hasFailedLast(channel)) return <State tone="warning">last message failed</State>
  return channel.lastSuccessAt === null ? (
    <State tone="neutral">not tried yet</State>
  ) : (
    <State tone="good">messages arrive</State>
  )
}

/** Which conditions the channel is told of, in words. */
function Rules({ channel }: { channel: Channel }) {
  const projects = useProjects().data.value ?? []
  const names = channel.projectIds?.map((id) => projects.find(({ projectId }) => projectId === id)?.name ?? id)
  return <>{rulesText(channel, names)}</>
}

type TestState =
  | { is: 'ready' | 'busy' }
  | { is: 'done'; answer: string }
  /** Why the receiver did not accept the message. */
  | { is: 'failed'; error: unknown }

function TestChannel({ channelId, server }: { channelId: string; server: string }) {
  const test = useSignal<TestState>({ is: 'ready' })
  const run = async () => {
    test.value = { is: 'busy' }
    try {
      const { answer } = await api.channel.test({ channelId })
      test.value = { is: 'done', answer }
    } catch (error) {
      test.value = { is: 'failed', error }
    }
  }
  const present = test.value
  return (
    <div class="stack">
      <Button small busy={present.is === 'busy'} onClick={() => void run()}>
        Send a test message
      </Button>
      {present.is === 'done' && (
        <Notice tone="good" announce>
          <p>
            {server} accepted the message.{present.answer !== '' && ` It answered: ${present.answer}`}
          </p>
        </Notice>
      )}
      {present.is === 'failed' && <ErrorNotice error={present.error} />}
    </div>
  )
}

function RemoveChannel({ channel: { channelId, name, queued }, onClose }: { channel: Channel; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Remove the channel ${name}`}
      action="Remove the channel"
      phrase={name}
      onClose={onClose}
      run={() => api.channel.remove({ channelId })}
    >
      <p>
        Nobody is told by this channel any more.
        {queued > 0 && ` ${countText(queued, 'waiting message')} will not be delivered.`}
      </p>
      <EqualCalls operation="channel.remove" input={{ channelId }} />
    </ConfirmDialog>
  )
}
