import type { DataType, Field } from 'apache-arrow';
import type { FileMetaData } from 'hyparquet';

/** A time that Parquet has no type for: seconds, spans, clocks of seconds, days as milliseconds. */
export interface ArrowType {
  readonly name: 'moment' | 'ns-moment' | 'span' | 'clock';
  readonly unit: 'SECONDS' | 'MILLIS' | 'MICROS' | 'NANOS';
  /** Of a moment whose type has no time zone. */
  readonly isLocal?: boolean;
  /** As Arrow calls it. */
  readonly text: string;
}

/** What an Arrow writer says of columns, by the place of a field: names within names. */
export interface ArrowFields {
  typeOf(path: readonly string[]): ArrowType | undefined;
  /** How many elements the lists of a column have, where all have the same number. */
  listSize(path: readonly string[]): number | undefined;
}

const none: ArrowFields = { typeOf: () => undefined, listSize: () => undefined };

const key = 'ARROW:schema';

/**
 * The schema that writers on Arrow put in the footer, in base64, as a message of Arrow IPC. Without one, and where it cannot be
 * read, nothing is known.
 */
export async function readArrowFields({ key_value_metadata: entries }: FileMetaData): Promise<ArrowFields> {
  const text = entries?.find((entry) => entry.key === key)?.value;
  if (text === undefined) return none;
  const { DataType: types, RecordBatchReader } = await import('apache-arrow');
  let fields: readonly Field[];
  try {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    fields = RecordBatchReader.from(bytes).open().schema.fields;
  } catch {
    return none;
  }
  const fieldOf = (path: readonly string[]): DataType | undefined => {
    let type: DataType | undefined;
    let inner: readonly Field[] = fields;
    for (const name of path) {
      // Of lists, writers call the element as they like.
      const isList = type !== undefined && types.isFixedSizeList(type);
      type = (isList ? inner[0] : inner.find((field) => field.name === name))?.type;
      if (type !== undefined && types.isDictionary(type)) type = type.dictionary as DataType;
      inner = (type?.children as readonly Field[] | undefined) ?? [];
    }
    return type;
  };
  return {
    listSize(path) {
      const type = fieldOf(path);
      return type !== undefined && types.isFixedSizeList(type) ? type.listSize : undefined;
    },
    typeOf(path) {
      const type = fieldOf(path);
      if (type === undefined) return undefined;
      const text = String(type).toLowerCase();
      if (types.isTimestamp(type))
        return {
          ...{ name: type.unit === 3 ? 'ns-moment' : 'moment', unit: units[type.unit]!, text },
          isLocal: !type.timezone,
        };
      if (types.isDuration(type)) return { name: 'span', unit: units[type.unit]!, text };
      if (types.isTime(type)) return { name: 'clock', unit: units[type.unit]!, text };
      return types.isDate(type) && type.unit === 1 ? { name: 'moment', unit: 'MILLIS', text } : undefined;
    },
  };
}

/** By Arrow's number for them. */
const units = ['SECONDS', 'MILLIS', 'MICROS', 'NANOS'] as const;
