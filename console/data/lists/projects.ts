/** The projects, without a read at each change of a database. */
import { useQuery } from '../live/query.ts'

/** The databases in the answer may be old: `useDatabases` has the present ones. */
export const useProjects = () => useQuery('project.all', {}, { kinds: ['project'] })
