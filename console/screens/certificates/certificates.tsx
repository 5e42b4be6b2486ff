/** Certificates. */
import { Page } from '../../components/page.tsx'

export default function Certificates() {
  return <Page title="Certificates">{null}</Page>
}
