/** The tab Connect of a database: its URLs, programs to copy, the external port, and who can connect to it. */
import type { TabProps } from '../view.ts'
import { AllowedSources } from './allowed-sources.tsx'
import { ExternalPort } from './external-port.tsx'
import { Snippets } from './snippet-list.tsx'
import { Urls } from './urls.tsx'

export function ConnectTab(props: TabProps) {
  return (
    <>
      <Urls {...props} />
      <Snippets {...props} />
      <ExternalPort {...props} />
      <AllowedSources {...props} />
    </>
  )
}
