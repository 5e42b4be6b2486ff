/** Application. */
import { Page } from '../../components/page.tsx'

export default function ApplicationScreen() {
  return <Page title="Application">{null}</Page>
}
