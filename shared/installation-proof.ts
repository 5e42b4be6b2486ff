/** What the proof of an installation is computed over. Pure. The server and the command line both use this file. */

/**
 * The text whose HMAC-SHA256, with the SHA-256 of the installation token as the key, proves that a server has this token.
 * @param nonce 32 random bytes of the client in base64url
 * @param address where the connection arrived at the server, as `addressText` writes it
 */
export const proofText = (nonce: string, address: string): string => `berth installation proof 1\n${nonce}\n${address}`

/** An address and a port as text. An IPv4 address on a socket of IPv6 is written as the IPv4 address. */
export const addressText = (address: string, port: number): string => `${address.replace(/^::ffff:(?=\d)/, '')} ${port}`
