/** New database. */
import { Page } from '../../components/page.tsx'

export default function NewDatabase() {
  return <Page title="New database">{null}</Page>
}
