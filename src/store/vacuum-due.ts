/**
 * The key in `meta` that requests a `vacuum` at the next start or stop of Berth. Free pages of the file can still
 * contain text that was sealed or deleted.
 */
export const vacuumDue = 'vacuumDue'
