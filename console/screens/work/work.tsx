/** Work. */
import { Page } from '../../components/page.tsx'

export default function Work() {
  return <Page title="Work">{null}</Page>
}
