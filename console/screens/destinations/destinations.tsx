/** Backup destinations. */
import { Page } from '../../components/page.tsx'

export default function Destinations() {
  return <Page title="Backup destinations">{null}</Page>
}
