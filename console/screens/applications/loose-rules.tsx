/** Rules about applications that do not exist, or whose name is not unique: they have no effect. */
import { useQuery } from '../../data/live/query.ts'
import type { Application } from './applications.tsx'
import { PortList } from './ports.tsx'
import { RedirectList } from './redirects.tsx'
import { UserList } from './users.tsx'

export function LooseRules({ applications }: { applications: Application[] }) {
  const redirects = useQuery('redirects.all', {}).data.value ?? []
  const users = useQuery('security.all', {}).data.value ?? []
  const ports = useQuery('port.all', {}).data.value ?? []
  const known = new Set(applications.flatMap((each) => [...each.redirects, ...each.securities, ...each.ports]))
  const looseRedirects = redirects.filter(({ redirectId }) => !known.has(redirectId))
  const looseUsers = users.filter(({ securityId }) => !known.has(securityId))
  const loosePorts = ports.filter(({ portId }) => !known.has(portId))
  if (looseRedirects.length + looseUsers.length + loosePorts.length === 0) return null
  return (
    <section class="card" aria-labelledby="loose">
      <h2 id="loose">Rules without an application</h2>
      <p class="muted">They take effect when the application exists.</p>
      {looseRedirects.length > 0 && <RedirectList redirects={looseRedirects} isLoose />}
      {looseUsers.length > 0 && <UserList users={looseUsers} isLoose />}
      {loosePorts.length > 0 && <PortList ports={loosePorts} isLoose />}
    </section>
  )
}
