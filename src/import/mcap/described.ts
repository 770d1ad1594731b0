import { channelNames, plainName } from '../channel-names.ts';
import { FieldReader, type McapRecord } from './records.ts';

/** The most bytes of a text that a stream keeps. */
const longestText = 1 << 16;

/** What a file says of the recording beside its messages. */
export interface Described {
  readonly metadata: Record<string, string>;
  /** What is not kept, and why. */
  readonly leftOut: string[];
  takeMetadata(record: McapRecord): void;
  takeAttachment(record: McapRecord): void;
}

/** Entries of metadata are called `record.key`. */
export function createDescribed(): Described {
  const metadata: Record<string, string> = {};
  const leftOut: string[] = [];
  const names = channelNames();
  return {
    metadata,
    leftOut,
    /** string name, uint32 length, then pairs of string key, string value. Throws a FileFault. */
    takeMetadata(record) {
      const fields = new FieldReader(record);
      const name = plainName(fields.text());
      const entries = new FieldReader({ ...record, data: viewOf(fields.bytes(fields.uint32())) });
      while (!entries.isAtEnd()) {
        const key = plainName(entries.text());
        const value = entries.text();
        const full = [name, key].filter((part) => part !== '').join('.') || 'metadata';
        // Writers that append to a file repeat them.
        if (metadata[full] === value) continue;
        const bytes = new TextEncoder().encode(value).length;
        if (bytes > longestText)
          leftOut.push(`metadata ${full} (${bytes} bytes, ${longestText} are kept at most)`);
        else metadata[names.nameFor(full, record.offset)] = value;
      }
    },
    /** uint64 log time, uint64 time of creation, string name, string kind, uint64 length, then its bytes. Throws a FileFault. */
    takeAttachment(record) {
      const fields = new FieldReader(record);
      fields.uint64();
      fields.uint64();
      const [name, kind] = [plainName(fields.text()), plainName(fields.text())];
      leftOut.push(`attachment ${name} (${kind === '' ? '' : `${kind}, `}${fields.uint64()} bytes)`);
    },
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
