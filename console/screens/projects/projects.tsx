/** All projects. */
import { useSignal } from '@preact/signals'
import type { Project } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SearchInput } from '../../components/lists/filters.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { ProjectList } from '../../components/lists/project-list.tsx'
import { api } from '../../data/api.ts'
import { wordsOf } from '../../data/lists/database-filter.ts'
import { useDatabases } from '../../data/lists/databases.ts'
import { useForm } from '../../data/forms/form.ts'
import { countText } from '../../data/format.ts'
import { useProjects } from '../../data/lists/projects.ts'
import { useUrlFields } from '../../data/lists/url-fields.ts'
import { shellLine } from '../../../shared/shell-word.ts'

export default function Projects() {
  const projects = useProjects()
  const isCreating = useSignal(false)
  const create = (
    <Button kind="primary" onClick={() => (isCreating.value = true)}>
      New project
    </Button>
  )
  return (
    <Page title="Projects" sub="A project holds the databases of one product or team." actions={create}>
      <Loaded query={projects} what="the projects">
        {(all) =>
          all.length === 0 ? (
            <Empty title="No projects yet" action={create}>
              Each database belongs to a project. Create one here, or together with its first database.
            </Empty>
          ) : (
            <Searchable projects={all} />
          )
        }
      </Loaded>
      {isCreating.value && <CreateDialog onClose={() => (isCreating.value = false)} />}
    </Page>
  )
}

const collator = new Intl.Collator('en', { numeric: true })

function Searchable({ projects }: { projects: Project[] }) {
  const { search } = useUrlFields(['search'])
  const { rows } = useDatabases()
  const words = wordsOf(search.value)
  const found = projects
    .filter(({ name, description }) =>
      words.every((word) => `${name} ${description ?? ''}`.toLowerCase().includes(word)),
    )
    .sort((a, b) => collator.compare(a.name, b.name))
  return (
    <>
      <search class="tools">
        <SearchInput field={search} label="Search by name or description" />
      </search>
      <p role="status">{found.length === 0 ? 'No project matches.' : countText(found.length, 'project')}</p>
      <ProjectList projects={found} rows={rows} />
    </>
  )
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ name: '', description: '' })
  const { fields, issues } = form
  const inputOf = ({ name, description }: { name: string; description: string }) => ({
    name,
    ...(description === '' ? {} : { description }),
  })
  const shown = inputOf({ name: fields.name.value, description: fields.description.value })
  const option = shown.description === undefined ? [] : [`--description=${shown.description}`]
  return (
    <Dialog title="New project" onClose={onClose}>
      <FormBox
        form={form}
        submit="Create the project"
        onSubmit={(values) => api.project.create(inputOf(values))}
        onDone={onClose}
        onCancel={onClose}
      >
        <TextField field={fields.name} label="Name" autoComplete="off" issue={issues.value.name} />
        <TextField
          field={fields.description}
          label="Description"
          hint="A text for people. Berth does not use it."
          required={false}
          issue={issues.value.description}
        />
        <EqualCalls
          operation="project.create"
          input={shown}
          command={shellLine`berth project create ${shown.name}${option}`}
        />
      </FormBox>
    </Dialog>
  )
}
