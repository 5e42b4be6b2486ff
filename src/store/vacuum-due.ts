/**
 * The key in `meta` that asks for a `vacuum` at the next start: free pages of the file may still hold text that was
 * sealed or deleted since.
 */
export const vacuumDue = 'vacuumDue'
