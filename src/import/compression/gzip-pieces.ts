import { type FileBytes, FileFault } from '../file-bytes.ts';

const pieceBytes = 64 << 10;

/**
 * The bytes of a gzip file (RFC 1952), of all its members, in pieces. Throws a FileFault, also where a checksum is another one, and
 * where the file ends too early.
 */
export async function* gzipPieces(file: FileBytes): AsyncGenerator<Uint8Array, void, void> {
  let at = 0;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const length = Math.min(pieceBytes, file.size - at);
      if (length === 0) return controller.close();
      const bytes = await file.read(at, length);
      at += length;
      controller.enqueue(bytes as Uint8Array<ArrayBuffer>);
    },
  });
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (error instanceof FileFault) throw error;
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new FileFault(`it cannot be unpacked as gzip: ${why}`, undefined);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
