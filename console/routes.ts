/** All screens: their addresses, and where the navigation shows them. */
import type { ComponentType } from 'preact'
import { type Parameters, screenOf } from './lazy.tsx'

export interface RouteDeclaration {
  /** A pattern: `:name` is a parameter, `:name?` may be missing. */
  path: string
  screen: ComponentType<Parameters>
  /** The entry in the navigation; without it the screen is reached from others. */
  nav?: { group: NavGroup; text: string }
  /** Only administrators can use the screen. Others see why. */
  isForAdmins?: boolean
  /** The screen is about what belongs to no project. Others see why. */
  needsAllProjects?: boolean
}

export const navGroups = ['Databases', 'Infrastructure', 'Applications', 'Administration'] as const
export type NavGroup = (typeof navGroups)[number] | ''

export const routes: readonly RouteDeclaration[] = [
  {
    path: '/',
    screen: screenOf(() => import('./screens/overview/overview.tsx')),
    nav: { group: '', text: 'Overview' },
  },
  {
    path: '/alerts',
    screen: screenOf(() => import('./screens/alerts/alerts.tsx')),
    nav: { group: '', text: 'Alerts' },
    isForAdmins: true,
  },
  { path: '/alerts/:tab', screen: screenOf(() => import('./screens/alerts/alerts.tsx')), isForAdmins: true },
  { path: '/conditions', screen: screenOf(() => import('./screens/overview/past-conditions.tsx')) },
  {
    path: '/databases',
    screen: screenOf(() => import('./screens/databases/databases.tsx')),
    nav: { group: 'Databases', text: 'Databases' },
  },
  { path: '/databases/new', screen: screenOf(() => import('./screens/databases/new-database.tsx')) },
  { path: '/databases/:databaseId/:tab?', screen: screenOf(() => import('./screens/database/database.tsx')) },
  {
    path: '/projects',
    screen: screenOf(() => import('./screens/projects/projects.tsx')),
    nav: { group: 'Databases', text: 'Projects' },
  },
  { path: '/projects/:projectId', screen: screenOf(() => import('./screens/projects/project.tsx')) },
  {
    path: '/destinations',
    screen: screenOf(() => import('./screens/destinations/destinations.tsx')),
    nav: { group: 'Databases', text: 'Backup destinations' },
  },
  {
    path: '/work',
    screen: screenOf(() => import('./screens/work/work.tsx')),
    nav: { group: 'Databases', text: 'Work' },
  },
  {
    path: '/nodes',
    screen: screenOf(() => import('./screens/nodes/nodes.tsx')),
    nav: { group: 'Infrastructure', text: 'Nodes' },
    isForAdmins: true,
  },
  {
    path: '/volumes',
    screen: screenOf(() => import('./screens/volumes/volumes.tsx')),
    nav: { group: 'Infrastructure', text: 'Volumes' },
  },
  {
    path: '/registries',
    screen: screenOf(() => import('./screens/registries/registries.tsx')),
    nav: { group: 'Infrastructure', text: 'Registries' },
    needsAllProjects: true,
  },
  {
    path: '/applications',
    screen: screenOf(() => import('./screens/applications/applications.tsx')),
    nav: { group: 'Applications', text: 'Routing' },
    needsAllProjects: true,
  },
  {
    path: '/applications/:applicationId',
    screen: screenOf(() => import('./screens/applications/application.tsx')),
    needsAllProjects: true,
  },
  {
    path: '/certificates',
    screen: screenOf(() => import('./screens/certificates/certificates.tsx')),
    nav: { group: 'Applications', text: 'Certificates' },
    needsAllProjects: true,
  },
  {
    path: '/people',
    screen: screenOf(() => import('./screens/people/people.tsx')),
    nav: { group: 'Administration', text: 'People' },
  },
  { path: '/people/:userId', screen: screenOf(() => import('./screens/people/person.tsx')) },
  {
    path: '/audit',
    screen: screenOf(() => import('./screens/audit/audit.tsx')),
    nav: { group: 'Administration', text: 'Audit log' },
    isForAdmins: true,
  },
  {
    path: '/state',
    screen: screenOf(() => import('./screens/state/state.tsx')),
    nav: { group: 'Administration', text: "Berth's own state" },
    isForAdmins: true,
  },
  { path: '/account', screen: screenOf(() => import('./screens/account/account.tsx')) },
]

/** The address of a tab of a database. */
export const databasePath = (databaseId: string, tab?: string): string =>
  `/databases/${databaseId}${tab === undefined ? '' : `/${tab}`}`
