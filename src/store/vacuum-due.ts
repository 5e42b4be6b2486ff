/**
 * The key in `meta` that requests a `vacuum` at the next start or stop of Berth. The vacuum is necessary because free
 * pages of the file can still contain text that has been sealed or deleted.
 */
export const vacuumDue = 'vacuumDue'
