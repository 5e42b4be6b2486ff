/** Keys with a meaning of their own in the terminal. All others go to the client. Pure. */

export type KeyAction = 'type' | 'copy' | 'paste' | 'forward' | 'backward'

export type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>

/**
 * Tab completes names in the client, so F6 leaves the terminal. Ctrl-C without a selection interrupts the client.
 * @param hasSelection whether text of the terminal is selected
 */
export function keyAction({ key, ctrlKey, shiftKey, altKey, metaKey }: Key, hasSelection: boolean): KeyAction {
  if (altKey) return 'type'
  if (key === 'F6' && !ctrlKey && !metaKey) return shiftKey ? 'backward' : 'forward'
  if (key === 'Insert' && ctrlKey !== shiftKey) return shiftKey ? 'paste' : hasSelection ? 'copy' : 'type'
  if (ctrlKey === metaKey) return 'type'
  const letter = key.toLowerCase()
  if (letter === 'v') return 'paste'
  return letter === 'c' && (hasSelection || metaKey) ? 'copy' : 'type'
}
