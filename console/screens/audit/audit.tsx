/** Audit log. */
import { Page } from '../../components/page.tsx'

export default function Audit() {
  return <Page title="Audit log">{null}</Page>
}
