/** Project. */
import { Page } from '../../components/page.tsx'

export default function ProjectScreen() {
  return <Page title="Project">{null}</Page>
}
