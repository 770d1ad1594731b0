import { RequestError } from './request-error.ts';

/** An answer of success, whose content is to be read. */
type Answered = Pick<Response, 'status' | 'text'>;

/**
 * Reads the JSON of an answer. Rejects with RequestError where it is not what is expected: then another server answers
 * at the address, or a proxy with a page of its own.
 */
export async function contentOf<Content>(
  response: Answered,
  isExpected: (content: object) => boolean,
): Promise<Content> {
  const text = await response.text();
  const content = parsed(text);
  if (typeof content === 'object' && content !== null && isExpected(content)) return content as Content;
  throw notPitwall(response, text);
}

/** The end of an answer that says nothing, as success of a write is told. Rejects with RequestError where it says something. */
export async function endOf(response: Answered): Promise<void> {
  const text = await response.text();
  if (text !== '') throw notPitwall(response, text);
}

/** How many rows of a write were expired already, and not kept. */
export const expiredRowsHeader = 'Pitwall-Expired-Rows';

/** How many rows of an answered write are older than the retention of their topic: they are not kept. */
export function expiredIn({ headers }: Pick<Response, 'headers'>): number {
  return Number(headers.get(expiredRowsHeader) ?? 0);
}

export function has(...names: readonly string[]): (content: object) => boolean {
  return (content) => names.every((name) => name in content);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const excerptCharacters = 200;

function notPitwall({ status }: Answered, text: string): RequestError {
  const said = text.slice(0, excerptCharacters).replace(/\s+/g, ' ').trim();
  return new RequestError(status, { detail: `what answers is not Pitwall: it says ${said || 'nothing'}` });
}
