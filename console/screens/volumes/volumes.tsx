/** Volumes. */
import { Page } from '../../components/page.tsx'

export default function Volumes() {
  return <Page title="Volumes">{null}</Page>
}
