/** Which projects an account reaches. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import type { User } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { api } from '../../data/api.ts'
import { useProjects } from '../../data/lists/projects.ts'
import { isAdmin } from '../../data/session.ts'

export function Reach({ user }: { user: User }) {
  const names = new Map((useProjects().data.value ?? []).map(({ projectId, name }) => [projectId, name]))
  const isAsking = useSignal(false)
  const reachesAll = user.allProjects !== false
  const projects = user.projects ?? []
  return (
    <section class="card">
      <h2>Projects</h2>
      <p>
        {reachesAll ? 'The account reaches all projects.' : 'The account reaches the projects of which it is a member.'}
      </p>
      {projects.length > 0 && (
        <ul>
          {projects.map(({ projectId, role }) => (
            <li key={projectId}>
              <Link href={`/projects/${projectId}`}>{names.get(projectId) ?? projectId}</Link>: {role}
            </li>
          ))}
        </ul>
      )}
      {reachesAll && projects.length > 0 && (
        <p class="hint">The roles count when the reach of all projects is taken back.</p>
      )}
      <Button unavailable={whyNot(user)} onClick={() => (isAsking.value = true)}>
        {reachesAll ? 'Limit to its projects' : 'Let it reach all projects'}
      </Button>
      {isAsking.value && <Change user={user} onClose={() => (isAsking.value = false)} />}
    </section>
  )
}

function whyNot({ rol }: User): string | null {
  if (!isAdmin()) return 'Only administrators may change this'
  return rol === 'admin' ? 'Administrators reach all projects' : null
}

function Change({ user: { userId, email, allProjects, projects }, onClose }: { user: User; onClose: () => void }) {
  const becomesAll = allProjects === false
  const count = projects?.length ?? 0
  return (
    <ConfirmDialog
      title={becomesAll ? `Let ${email} reach all projects?` : `Limit ${email} to its projects?`}
      action={becomesAll ? 'Let it reach all projects' : 'Limit the account'}
      phrase={null}
      isDangerous={!becomesAll}
      onClose={onClose}
      run={() => api.user.update({ userId, allProjects: becomesAll })}
    >
      <p>
        {becomesAll
          ? 'It can then change every project, and routing, certificates and registries.'
          : `It then reaches only the ${count} of which it is a member. Its terminals elsewhere end within seconds.`}
      </p>
      <EqualCalls
        operation="user.update"
        input={{ userId, allProjects: becomesAll }}
        command={`berth user reach ${email} ${becomesAll ? 'all' : 'projects'}`}
      />
    </ConfirmDialog>
  )
}
