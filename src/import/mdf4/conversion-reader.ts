import { type FileBytes, FileFault } from '../file-bytes.ts';
import { type Conversion, readConversion } from './conversion.ts';

export interface ConversionReader {
  read(offset: number, isWhole: boolean, unit: string): Promise<Conversion>;
}

/** The most different conversions of a file: many channels may share one, each table of which may have 65,535 texts. */
const mostDifferent = 200_000;

/** Reads each conversion of a file once. */
export function conversionReader(file: FileBytes): ConversionReader {
  const known = new Map<string, Conversion>();
  return {
    async read(offset, isWhole, unit) {
      if (offset === 0) return { kind: 'none', unit };
      const key = `${offset} ${isWhole} ${unit}`;
      let found = known.get(key);
      if (found === undefined) {
        if (known.size === mostDifferent)
          throw new FileFault(`there are more than ${mostDifferent} conversions`, offset);
        found = await readConversion(file, offset, isWhole, unit);
        known.set(key, found);
      }
      return found;
    },
  };
}
