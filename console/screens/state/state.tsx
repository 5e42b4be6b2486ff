/** Berth's own state. */
import { Page } from '../../components/page.tsx'

export default function StateScreen() {
  return <Page title="Berth's own state">{null}</Page>
}
