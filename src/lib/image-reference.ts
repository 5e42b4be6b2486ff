/** stand-in */
export function parseImage(text: string): { tag: string | null } | null { return /^[\w./:-]+$/.test(text) ? { tag: text.split(':')[1] ?? null } : null }
