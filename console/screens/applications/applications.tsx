/** Routing. */
import { Page } from '../../components/page.tsx'

export default function Applications() {
  return <Page title="Routing">{null}</Page>
}
