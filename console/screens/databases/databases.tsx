/** Databases. */
import { Page } from '../../components/page.tsx'

export default function Databases() {
  return <Page title="Databases">{null}</Page>
}
