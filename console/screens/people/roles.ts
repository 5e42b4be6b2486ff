/** What each role may do, in a sentence. */
export type Rol = 'admin' | 'user'

export const roleTexts: Record<Rol, string> = {
  admin: 'everything, also people, nodes and the audit log.',
  user: 'all projects, databases, backups and applications, and the own account.',
}

export const roleChoices: readonly { value: Rol; text: string }[] = [
  { value: 'user', text: 'user' },
  { value: 'admin', text: 'admin' },
]
