/** An address as it may be shown: without the user and the password that stand before its host. */
export function withoutLogin(address: string): string {
  return address.replace(/\/\/.*@/s, '//…@');
}

/** A text as it may be shown, of whose words any may be such an address. */
export function withoutLogins(text: string): string {
  return text.replace(/\/\/\S*@/g, '//…@');
}
