/**
 * A write of parameter data in the form in which most of them come: one chunk of bytes that is a whole HTTP/1.1
 * request and nothing more, its head of well-formed lines, none of which asks for anything out of the ordinary.
 */
export interface PlainWrite {
  readonly topic: string;
  readonly streamId: string;
  readonly authorization: string;
  readonly host: string;
  readonly body: Buffer;
}

interface PlainHead extends Omit<PlainWrite, 'body'> {
  readonly length: number;
}

/**
 * Reads a chunk as a plain write; undefined for everything else, right or wrong, which is for a complete HTTP parser.
 * So this one must be strict where it says yes and need not say why where it says no.
 */
export type ReadPlainWrite = (chunk: Buffer) => PlainWrite | undefined;

/** A client's heads differ in stream and length at most, so they come again. */
const rememberedHeads = 4096;
const longestHead = 4096;

export function plainWriteReader(): ReadPlainWrite {
  const heads = new Map<string, PlainHead | undefined>();
  return (chunk) => {
    if (chunk[0] !== letterP) return undefined;
    const end = chunk.indexOf('\r\n\r\n');
    if (end < 0 || end > longestHead) return undefined;
    const text = chunk.toString('latin1', 0, end);
    let head = heads.get(text);
    if (head === undefined) {
      head = readHead(text);
      if (head === undefined) return undefined;
      if (heads.size === rememberedHeads) heads.clear();
      heads.set(text, head);
    }
    const start = end + 4;
    if (chunk.length !== start + head.length) return undefined;
    const { topic, streamId, authorization, host } = head;
    return { topic, streamId, authorization, host, body: chunk.subarray(start) };
  };
}

const letterP = 0x50;
/** Names are unreserved characters, which stand for themselves in an address (RFC 3986, section 2.3). */
const requestLine = /^POST \/topics\/([\w.~-]+)\/streams\/([\w.~-]+)\/parameters\/data HTTP\/1\.1$/;
/** A field line (RFC 9112, section 5); the value has no control characters. */
const fieldLine = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x20-\x7e]*)$/;

/** Headers that change what a request means, beside the four that are read here. */
const meaningful = new Set([
  'connection',
  'content-encoding',
  'expect',
  'origin',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function readHead(text: string): PlainHead | undefined {
  const [first, ...lines] = text.split('\r\n');
  const address = requestLine.exec(first!);
  if (address === null) return undefined;
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
  const host = fields.get('host');
  const authorization = fields.get('authorization');
  const length = fields.get('content-length') ?? '';
  if (host === undefined || authorization === undefined) return undefined;
  if (fields.get('content-type') !== 'application/json' || !/^[1-9]\d{0,7}$/.test(length)) return undefined;
  return { topic: address[1]!, streamId: address[2]!, authorization, host, length: Number(length) };
}
