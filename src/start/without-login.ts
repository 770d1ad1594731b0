/** An address as it may be shown: without the user and the password that stand before its host. */
export function withoutLogin(address: string): string {
  return address.replace(/\/\/.*@/, '//');
}
