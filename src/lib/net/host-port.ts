/** Returns an address and a port as text: an IPv6 address is in brackets. */
export function hostPort({ address, port }: { address: string; port: number }): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
