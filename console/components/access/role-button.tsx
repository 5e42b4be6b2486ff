/** Buttons that need a role in a project, or reach beyond one. Without it they are unavailable and name the role. */
import type { ComponentProps } from 'preact'
import { useRights } from '../../data/access/rights.ts'
import type { ProjectRole } from '../../data/access/role.ts'
import { Button, LinkButton } from '../button.tsx'

interface Props extends ComponentProps<typeof Button> {
  /** Null: it is not known. The person then needs the role in any project, and Berth checks the right one. */
  projectId: string | null
  needs: ProjectRole
}

export function RoleButton({ projectId, needs, unavailable = null, ...button }: Props) {
  const { whyNot, whyNowhere } = useRights()
  const why = projectId === null ? whyNowhere(needs) : whyNot(projectId, needs)
  return <Button {...button} unavailable={why ?? unavailable} />
}

interface NewDatabaseProps {
  /** Null: the person chooses it. */
  projectId?: string | null
  kind?: 'primary' | 'usual'
  children?: string
}

export function NewDatabaseButton({ projectId = null, kind = 'usual', children = 'New database' }: NewDatabaseProps) {
  const { whyNot, whyNowhere } = useRights()
  const why = projectId === null ? whyNowhere('owner') : whyNot(projectId, 'owner')
  if (why !== null) {
    return (
      <Button kind={kind} unavailable={why}>
        {children}
      </Button>
    )
  }
  return (
    <LinkButton href={`/databases/new${projectId === null ? '' : `?project=${projectId}`}`} kind={kind}>
      {children}
    </LinkButton>
  )
}
