/** Registries: where the nodes pull images from, and with which credentials. */
import { useSignal } from '@preact/signals'
import type { Registry } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { useQuery } from '../../data/live/query.ts'
import { isAdmin } from '../../data/session.ts'
import { CleanDialog } from './clean.tsx'
import { OwnRegistryDialog } from './own-registry.tsx'
import { type RegistryAction, RegistryCard } from './registry-card.tsx'
import { EditRegistry, NewRegistry } from './registry-form.tsx'
import { RemoveRegistry } from './remove-registry.tsx'

type Opened = { action: 'add' | 'own' } | { action: RegistryAction; registryId: string }

export default function Registries() {
  const registries = useQuery('registry.all', {})
  const opened = useSignal<Opened | null>(null)
  const all = registries.data.value
  const close = () => (opened.value = null)
  const unavailable = isAdmin() ? null : 'Only administrators can change registries'
  const buttons = (
    <>
      <Button unavailable={unavailable} onClick={() => (opened.value = { action: 'own' })}>
        {all?.some(({ server }) => server !== null) ? 'Change your own registry' : 'Run your own registry'}
      </Button>
      <Button kind="primary" unavailable={unavailable} onClick={() => (opened.value = { action: 'add' })}>
        Add a registry
      </Button>
    </>
  )
  return (
    <Page
      title="Registries"
      sub="A registry is a server of images. Berth logs in to it for all nodes."
      actions={buttons}
    >
      <Loaded query={registries} what="the registries">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No registry is known">
              Public images need none. Add a registry for private images, or let Berth run one of your own: you push
              images to it, and all nodes pull from it.
            </Empty>
          ) : (
            <div class="columns nodes">
              {list.map((registry) => (
                <RegistryCard
                  key={registry.registryId}
                  registry={registry}
                  unavailable={unavailable}
                  onAction={(action) => (opened.value = { action, registryId: registry.registryId })}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      {opened.value !== null && <Dialogs opened={opened.value} registries={all ?? []} onClose={close} />}
    </Page>
  )
}

function Dialogs(props: { opened: Opened; registries: Registry[]; onClose: () => void }) {
  const { opened, registries, onClose } = props
  if (opened.action === 'add') return <NewRegistry onClose={onClose} />
  if (opened.action === 'own') {
    const own = registries.find(({ server }) => server !== null) ?? null
    return <OwnRegistryDialog own={own} onClose={onClose} />
  }
  if (!('registryId' in opened)) return null
  const registry = registries.find(({ registryId }) => registryId === opened.registryId)
  if (registry === undefined) return null
  if (opened.action === 'edit') return <EditRegistry registryId={registry.registryId} onClose={onClose} />
  if (opened.action === 'clean') return <CleanDialog registry={registry} onClose={onClose} />
  return <RemoveRegistry registry={registry} onClose={onClose} />
}
