/** Your account. */
import { Page } from '../../components/page.tsx'

export default function Account() {
  return <Page title="Your account">{null}</Page>
}
