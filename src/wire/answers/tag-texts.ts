import type { TagColumn } from '../../domain/result.ts';

/**
 * Encodes the values of one tag, block after block. There are few texts on many rows: each is encoded when a row first
 * needs it, and kept as long as blocks share their dictionary.
 */
export function createTagTexts<Encoded>(
  encode: (text: string | undefined) => Encoded,
): (column: TagColumn) => (row: number) => Encoded {
  let known: TagColumn['texts'] | undefined;
  let encoded: (Encoded | undefined)[] = [];
  return ({ texts, index }) => {
    if (texts !== known) {
      known = texts;
      encoded = new Array(texts.length);
    }
    const cells = encoded;
    return (row) => {
      const i = index === undefined ? 0 : index[row]!;
      let cell = cells[i];
      if (cell === undefined) {
        cell = encode(texts[i]);
        cells[i] = cell;
      }
      return cell;
    };
  };
}
