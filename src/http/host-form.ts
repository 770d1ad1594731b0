/** A host with or without a port (RFC 3986, section 3.2), or nothing: any other Host header is refused (RFC 9112, section 3.2). */
const hostForm = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\w.~!$&'()*+,;=:%-]*\])(?::\d*)?$/;

/** Whether a Host header may have this value. */
export function isHost(value: string): boolean {
  return hostForm.test(value);
}
