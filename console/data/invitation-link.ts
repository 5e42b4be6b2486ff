/** The link of an invitation. Its secret is in the fragment, which browsers do not send to servers. */

export interface InvitationSecret {
  id: string
  token: string
}

/** @param origin the origin of the console, such as https://berth.example.org */
export const invitationLink = (origin: string, { id, token }: InvitationSecret): string =>
  `${origin}/invitation#${new URLSearchParams({ id, token })}`

/** @returns null if the fragment of the address has no invitation */
export function invitationOf(fragment: string): InvitationSecret | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''))
  const id = fields.get('id')?.trim() ?? ''
  const token = fields.get('token')?.trim() ?? ''
  return id === '' || token === '' ? null : { id, token }
}
