import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';

/** A message of Arrow IPC ("Encapsulated message format"): its place in the file. */
export interface ArrowMessage {
  readonly offset: number;
  readonly length: number;
}

export interface ArrowMessages {
  /** The message with the schema. */
  readonly schema: Uint8Array;
  /** The messages behind the schema. */
  readonly messages: readonly ArrowMessage[];
  /** Whether something says that all of them are there. */
  readonly hasEnd: boolean;
}

/** The largest batch: it is in memory as a whole. */
const mostBytes = 2 ** 30;
const continuation = 0xffffffff;
const pieceBytes = 1 << 20;
const fileMark = 'ARROW1';

/** Finds the messages of a file or a stream of Arrow IPC. Throws a FileFault where one goes beyond the end. */
export async function findMessages(file: FileBytes): Promise<ArrowMessages> {
  const first = textOf(await file.read(0, Math.min(file.size, fileMark.length)));
  if (first.startsWith('FEA1'))
    throw new FileFault('this is a Feather file of version 1, which is not read; version 2 is', undefined);
  return first === fileMark ? messagesOfFile(file) : messagesOfStream(file);
}

async function messagesOfStream(file: FileBytes): Promise<ArrowMessages> {
  const { Message } = await import('apache-arrow/ipc/metadata/message');
  const messages: ArrowMessage[] = [];
  let hasEnd = false;
  for (let at = 0; at + 4 <= file.size; ) {
    const head = await readPiece(file, at, Math.min(8, file.size - at), 'an Arrow message');
    const isLong = head.getUint32(0, true) === continuation;
    if (isLong && head.byteLength < 8) throw cutOff(at);
    // Writers before 0.15 have no mark before the size.
    const size = head.getInt32(isLong ? 4 : 0, true);
    hasEnd = size === 0;
    if (hasEnd) {
      await checkBehind(file, at + (isLong ? 8 : 4));
      break;
    }
    const bodyAt = at + (isLong ? 8 : 4) + size;
    if (size < 0 || bodyAt > file.size) throw cutOff(at);
    const metadata = await file.read(bodyAt - size, size);
    const body = Number(decoded('message', at, () => Message.decode(metadata)).bodyLength);
    messages.push(checked({ offset: at, length: bodyAt + body - at }, file.size));
    at = bodyAt + body;
  }
  const [schema, ...others] = messages;
  if (schema === undefined) throw new FileFault('it is no Arrow file or stream', undefined);
  return { schema: await file.read(schema.offset, schema.length), messages: others, hasEnd };
}

/** Throws a FileFault where more than zeros stands behind the end: rows of another stream would be left out without a word. */
async function checkBehind(file: FileBytes, end: number): Promise<void> {
  for (let at = end; at < file.size; at += pieceBytes) {
    const bytes = await file.read(at, Math.min(pieceBytes, file.size - at));
    if (bytes.every((byte) => byte === 0)) continue;
    const what = `${file.size - end} bytes stand behind the mark at the end of the stream, perhaps another stream: each is a file of its own`;
    throw new FileFault(what, end);
  }
}

/**
 * What the footer names: its schema, for some writers have no message for it, and dictionaries, which may stand anywhere, before
 * batches. Behind it are its size, int32, and the mark.
 */
async function messagesOfFile(file: FileBytes): Promise<ArrowMessages> {
  const { Footer } = await import('apache-arrow/ipc/metadata/file');
  const { Message } = await import('apache-arrow/ipc/metadata/message');
  const tail = await file.read(Math.max(file.size - 10, 0), Math.min(10, file.size));
  const size = tail.length === 10 ? new DataView(tail.buffer, tail.byteOffset).getInt32(0, true) : -1;
  if (textOf(tail.subarray(4)) !== fileMark || size < 0 || size > file.size - 18)
    throw new FileFault('the Arrow file has no footer: it was cut off', undefined);
  const end = file.size - 10 - size;
  const bytes = await file.read(end, size);
  return decoded('footer', end, () => {
    const footer = Footer.decode(bytes);
    const blocks = [...footer.dictionaryBatches(), ...footer.recordBatches()];
    return {
      schema: framed(Message.encode(Message.from(footer.schema))),
      messages: blocks.map(({ offset, metaDataLength, bodyLength }) =>
        checked({ offset, length: metaDataLength + bodyLength }, end),
      ),
      hasEnd: true,
    };
  });
}

/** With what stands before the metadata of a message, and padding behind. */
function framed(metadata: Uint8Array): Uint8Array {
  const size = Math.ceil(metadata.length / 8) * 8;
  const bytes = new Uint8Array(8 + size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, continuation, true);
  view.setInt32(4, size, true);
  bytes.set(metadata, 8);
  return bytes;
}

function decoded<Value>(what: string, at: number, decode: () => Value): Value {
  try {
    return decode();
  } catch (error) {
    if (error instanceof FileFault) throw error;
    throw new FileFault(`the Arrow ${what} cannot be read: ${(error as Error).message}`, at);
  }
}

function checked(message: ArrowMessage, end: number): ArrowMessage {
  const { offset, length } = message;
  if (!(offset >= 0) || !(length > 0) || offset + length > end) throw cutOff(offset);
  if (length > mostBytes)
    throw new FileFault(
      `the batch has ${length} bytes, ${mostBytes} is the most; write it in smaller ones`,
      offset,
    );
  return message;
}

function cutOff(at: number): FileFault {
  return new FileFault('the Arrow message goes beyond the end: the file was cut off, or is damaged', at);
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
