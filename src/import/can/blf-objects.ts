import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { inflate } from '../inflate.ts';

/** An object of a BLF file: uint32 mark `LOBJ`, uint16 length of the head, uint16 version of the head, uint32 length, uint32 type. */
export interface BlfObject {
  readonly type: number;
  /** The whole of it, its head included. */
  readonly view: DataView;
  readonly headVersion: number;
  readonly headLength: number;
}

const mark = 0x4a42_4f4c;
const container = 10;
const headBytes = 16;
const longestObject = 64 << 20;
const zlib = 2;

/**
 * The objects of a BLF file, also those in containers: uint16 compression at 16 (0 none, 2 zlib), uint32 length before at 24, then the bytes at 32. An object
 * may go on in the next container. Throws a FileFault.
 * @param first where the first one begins
 */
export async function* readObjects(file: FileBytes, first: number): AsyncGenerator<BlfObject> {
  let rest = new Uint8Array();
  let at = first;
  let filled = 0;
  while (at + headBytes <= file.size) {
    const head = await readPiece(file, at, headBytes, 'an object');
    if (head.getUint32(0, true) !== mark) {
      // Objects are filled up to whole words.
      if (++filled > 8) throw new FileFault('an object was expected here', at);
      at++;
      continue;
    }
    filled = 0;
    const length = head.getUint32(8, true);
    if (length < headBytes || length > longestObject)
      throw new FileFault(`an object of ${length} bytes cannot be`, at);
    const view = await readPiece(file, at, length, 'an object');
    if (head.getUint32(12, true) === container) {
      const bytes = await unpack(view, at);
      const all = new Uint8Array(rest.length + bytes.length);
      all.set(rest);
      all.set(bytes, rest.length);
      const end = yield* objectsIn(all, at);
      rest = all.slice(end);
    } else yield objectOf(view);
    at += length;
  }
  if (rest.some((byte) => byte !== 0))
    throw new FileFault(`the file ends within an object: ${rest.length} bytes of it are there`, file.size);
}

/** Of a container: its bytes as they were before. */
async function unpack(view: DataView, offset: number): Promise<Uint8Array> {
  const from = 32;
  if (view.byteLength < from) throw new FileFault('a container is too short', offset);
  const bytes = new Uint8Array(view.buffer, view.byteOffset + from, view.byteLength - from);
  const way = view.getUint16(16, true);
  const size = view.getUint32(24, true);
  if (way === 0) return bytes;
  if (way !== zlib) throw new FileFault(`the compression ${way} of a container is not known`, offset + 16);
  if (size > longestObject) throw new FileFault(`a container of ${size} bytes is too large`, offset + 24);
  return inflate(bytes, size, 'a container', offset);
}

/** The whole objects of a container; gives where what is not whole begins. */
function* objectsIn(bytes: Uint8Array, offset: number): Generator<BlfObject, number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (;;) {
    const begun = at;
    // They are filled up to whole words, by different rules.
    while (at + 4 <= bytes.length && at - begun < 8 && view.getUint32(at, true) !== mark) at++;
    if (at + headBytes > bytes.length) return begun;
    if (view.getUint32(at, true) !== mark)
      throw new FileFault(`byte ${at} of a container is no beginning of an object`, offset);
    const length = view.getUint32(at + 8, true);
    if (length < headBytes || length > longestObject)
      throw new FileFault(`byte ${at} of a container begins an object of ${length} bytes`, offset);
    if (at + length > bytes.length) return at;
    yield objectOf(new DataView(bytes.buffer, bytes.byteOffset + at, length));
    at += length;
  }
}

function objectOf(view: DataView): BlfObject {
  return {
    type: view.getUint32(12, true),
    view,
    headVersion: view.getUint16(6, true),
    headLength: view.getUint16(4, true),
  };
}
