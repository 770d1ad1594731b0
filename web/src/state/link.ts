/** A shared link, `#view=…&token=…`, that stands in the address until the page is loaded with it. */
export function linkIn(hash: string): { readonly view: string; readonly token: string } | undefined {
  const fields = new URLSearchParams(hash.slice(1));
  const token = fields.get('token') ?? '';
  const view = fields.get('view') ?? '';
  return token === '' || view === '' ? undefined : { view, token };
}
