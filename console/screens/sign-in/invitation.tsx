/** Invitation. */
import { Page } from '../../components/page.tsx'

export default function Invitation() {
  return <Page title="Invitation">{null}</Page>
}
