/** People. */
import { Page } from '../../components/page.tsx'

export default function People() {
  return <Page title="People">{null}</Page>
}
