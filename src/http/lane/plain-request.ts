import { isHost } from '../host-form.ts';
import { gainsFromCompression, type Route } from '../route.ts';

/**
 * A request in the form in which most of them come: one chunk of bytes that is a whole HTTP/1.1 request with a body of
 * JSON and nothing more, its head of well-formed lines, none of which asks for anything out of the ordinary.
 */
export interface PlainRequest extends PlainHead {
  readonly body: Buffer;
}

interface PlainHead {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly authorization: string;
  readonly host: string;
  readonly accept: string | undefined;
}

export interface PlainRequestReader {
  /**
   * Reads a chunk as a plain request; undefined for everything else, which goes to a complete HTTP parser. So it must be
   * strict in what it takes, and need not say why it leaves the rest.
   */
  read(chunk: Buffer): PlainRequest | undefined;
  /**
   * Keeps the head of the request that was read last, so that it need not be parsed when it comes again. To be called where
   * its token is valid only: anyone can send heads.
   */
  remember(): void;
}

interface ReadHead {
  readonly head: PlainHead;
  readonly length: number;
}

/** The heads of one client differ in stream and length only, so the same ones come again. */
const rememberedHeads = 4096;
const longestHead = 4096;

/** @param routes all of them; those that take POST requests and are marked as plain are read */
export function plainRequestReader(routes: readonly Route[]): PlainRequestReader {
  const addresses = routes.filter(({ plain, method }) => plain === true && method === 'POST').map(addressOf);
  const heads = new Map<string, ReadHead>();
  /** The head that was parsed for the latest request. */
  let parsed: { readonly text: string; readonly head: ReadHead } | undefined;
  return {
    read(chunk) {
      parsed = undefined;
      if (chunk[0] !== letterP) return undefined;
      const end = chunk.indexOf('\r\n\r\n');
      if (end < 0 || end > longestHead) return undefined;
      const text = chunk.toString('latin1', 0, end);
      let known = heads.get(text);
      if (known === undefined) {
        known = readHead(text, addresses);
        if (known === undefined) return undefined;
        parsed = { text, head: known };
      }
      const start = end + 4;
      if (chunk.length !== start + known.length) return undefined;
      const { route, params, authorization, host, accept } = known.head;
      return { route, params, authorization, host, accept, body: chunk.subarray(start) };
    },

    remember() {
      if (parsed === undefined) return;
      if (heads.size === rememberedHeads) heads.clear();
      heads.set(parsed.text, parsed.head);
      parsed = undefined;
    },
  };
}

const letterP = 0x50;

interface Address {
  readonly route: Route;
  readonly pattern: RegExp;
}

/** Names are unreserved characters, which stand for themselves in an address (RFC 3986, section 2.3). */
function addressOf(route: Route): Address {
  const path = route.path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[\\w.~-]+)');
  return { route, pattern: new RegExp(`^POST ${path} HTTP/1\\.1$`) };
}

/** A field line (RFC 9112, section 5); the value has no control characters. */
const fieldLine = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x20-\x7e]*)$/;

/** Headers that change what a request means, beside those that are read here. */
const meaningful = new Set([
  'connection',
  'content-encoding',
  'expect',
  'if-none-match',
  'origin',
  'pitwall-sequence',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function readHead(text: string, addresses: readonly Address[]): ReadHead | undefined {
  const [first, ...lines] = text.split('\r\n');
  const address = addresses.find(({ pattern }) => pattern.test(first!));
  if (address === undefined) return undefined;
  const fields = readFields(lines);
  if (fields === undefined) return undefined;
  const { route } = address;
  const host = fields.get('host');
  const authorization = fields.get('authorization');
  const length = fields.get('content-length') ?? '';
  if (host === undefined || !isHost(host) || authorization === undefined) return undefined;
  if (fields.get('content-type') !== 'application/json' || !/^[1-9]\d{0,7}$/.test(length)) return undefined;
  if (gainsFromCompression(route) && fields.has('accept-encoding')) return undefined;
  const params = { ...address.pattern.exec(first!)!.groups };
  return {
    head: { route, params, authorization, host, accept: fields.get('accept') },
    length: Number(length),
  };
}

/** By name in lower case; undefined where a line is malformed, stands twice or asks for something special. */
function readFields(lines: readonly string[]): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const field = fieldLine.exec(line);
    if (field === null) return undefined;
    const name = field[1]!.toLowerCase();
    const value = field[2]!.trimEnd();
    if (name === 'connection' && value.toLowerCase() === 'keep-alive') continue;
    if (meaningful.has(name) || fields.has(name)) return undefined;
    fields.set(name, value);
  }
  return fields;
}
