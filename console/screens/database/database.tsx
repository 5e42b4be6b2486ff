/** Database. */
import { Page } from '../../components/page.tsx'

export default function DatabaseScreen() {
  return <Page title="Database">{null}</Page>
}
