/** The header of a call with another token than the session in the cookie. */

/**
 * @param typed as a person typed it; white space around it is removed
 * @throws Error if no token looks like this
 */
export function bearerOf(typed: string): { authorization: string } {
  const token = typed.trim()
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) throw new Error('A token is one word without spaces. Paste it once more.')
  return { authorization: `Bearer ${token}` }
}
