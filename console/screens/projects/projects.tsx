/** Projects. */
import { Page } from '../../components/page.tsx'

export default function Projects() {
  return <Page title="Projects">{null}</Page>
}
