/** Registries. */
import { Page } from '../../components/page.tsx'

export default function Registries() {
  return <Page title="Registries">{null}</Page>
}
