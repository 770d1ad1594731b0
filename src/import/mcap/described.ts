import { plainName } from '../channel-names.ts';
import { createMetadata, type Metadata } from '../metadata.ts';
import { FieldReader, type McapRecord } from './records.ts';

/** What a file says of the recording beside its messages. */
export interface Described extends Pick<Metadata, 'entries' | 'notes'> {
  /** What is not kept, and why. */
  leftOut(): string[];
  takeMetadata(record: McapRecord): void;
  takeAttachment(record: McapRecord): void;
}

/** Entries of metadata are called `record.key`. */
export function createDescribed(): Described {
  const metadata = createMetadata();
  const attachments: string[] = [];
  return {
    get entries() {
      return metadata.entries;
    },
    notes: metadata.notes,
    leftOut: () => [...metadata.leftOut, ...attachments],
    /** string name, uint32 length, then pairs of string key, string value. Throws a FileFault. */
    takeMetadata(record) {
      const fields = new FieldReader(record);
      const name = fields.text();
      const entries = new FieldReader({ ...record, data: viewOf(fields.bytes(fields.uint32())) });
      while (!entries.isAtEnd()) {
        const key = entries.text();
        metadata.add([name, key].filter((part) => part.trim() !== '').join('.'), entries.text());
      }
    },
    /** uint64 log time, uint64 time of creation, string name, string kind, uint64 length, then its bytes. Throws a FileFault. */
    takeAttachment(record) {
      const fields = new FieldReader(record);
      fields.uint64();
      fields.uint64();
      const [name, kind] = [plainName(fields.text()), plainName(fields.text())];
      attachments.push(`attachment ${name} (${kind === '' ? '' : `${kind}, `}${fields.uint64()} bytes)`);
    },
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
