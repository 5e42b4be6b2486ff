/** Nodes. */
import { Page } from '../../components/page.tsx'

export default function Nodes() {
  return <Page title="Nodes">{null}</Page>
}
