/** Welcome to Berth. */
import { Page } from '../../components/page.tsx'

export default function FirstStart() {
  return <Page title="Welcome to Berth">{null}</Page>
}
