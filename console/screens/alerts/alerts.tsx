/** Who is told what needs attention: the messages, the channels that get them, and what is muted. */
import type { ComponentType } from 'preact'
import { Link } from 'wouter-preact'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import type { Parameters } from '../../lazy.tsx'
import { Channels, NewChannelButton } from './channels.tsx'
import { Messages } from './messages.tsx'
import { Muted } from './muted.tsx'

interface TabDeclaration {
  name: string
  text: string
  content: ComponentType
}

/** The first one is shown without a name in the address. */
const tabs: readonly TabDeclaration[] = [
  { name: 'messages', text: 'Messages', content: Messages },
  { name: 'channels', text: 'Channels', content: Channels },
  { name: 'muted', text: 'Muted', content: Muted },
]

const pathOf = (name: string) => (name === tabs[0]!.name ? '/alerts' : `/alerts/${name}`)

export default function Alerts({ tab = '' }: Parameters) {
  const present = tabs.find(({ name }) => name === tab) ?? tabs[0]!
  const Content = present.content
  return (
    <Page
      title="Alerts"
      sub={
        <>
          Who is told what needs attention. <Link href="/">The overview</Link> shows what does now.
        </>
      }
      actions={<NewChannelButton />}
    >
      <Tabs
        label="Alerts"
        tabs={tabs.map(({ name, text }) => ({ href: pathOf(name), text }))}
        current={pathOf(present.name)}
      />
      <Content />
    </Page>
  )
}
