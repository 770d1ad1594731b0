import { isVanished } from '../../domain/vanished-number.ts';
import { lineFault } from '../log-lines.ts';
import type { LoggedChannel } from '../logged-file.ts';
import { numberOfCell } from '../text/cells.ts';
import { isMissing } from '../text/missing-values.ts';
import type { PointField } from './gpx-fields.ts';
import type { GpxPoint } from './gpx-parser.ts';
import { inUnit } from './position-channels.ts';

/** How the texts of a field become values. */
export interface FieldColumn {
  readonly channel: LoggedChannel;
  read(text: string | undefined): number | string | null;
}

/** Texts of a field, as far as they are no numbers. */
interface Facts {
  numbers: number;
  texts: number;
  firstText: { readonly text: string; readonly line: number } | undefined;
  missing: number;
  firstMissing: { readonly text: string; readonly line: number } | undefined;
  /** The first number that is nearer to 0 than any double. */
  vanished: { readonly text: string; readonly line: number } | undefined;
}

/** Looks at the values of points, to see which fields are numbers. */
export interface GpxSurvey {
  /** Throws a FileFault where what must be a number is none. */
  see(point: GpxPoint): void;
  /** The channels of all fields that have a value, and what is to be told of them. Throws a FileFault. */
  end(): {
    readonly columns: (FieldColumn | undefined)[];
    readonly leftOut: string[];
    readonly notes: string[];
  };
}

function noFacts(): Facts {
  return {
    numbers: 0,
    texts: 0,
    firstText: undefined,
    missing: 0,
    firstMissing: undefined,
    vanished: undefined,
  };
}

export function createGpxSurvey(fields: readonly PointField[]): GpxSurvey {
  const facts: Facts[] = [];
  return {
    see({ texts, lines }) {
      for (const [place, text] of texts.entries()) {
        if (text === undefined) continue;
        facts[place] ??= noFacts();
        const of = facts[place];
        const { channel, isKnown } = fields[place]!;
        const value = channel.isText === true ? undefined : numberOfCell(text, '.');
        if (value !== undefined) {
          of.numbers++;
          if (isVanished(text, value)) of.vanished ??= { text, line: lines[place]! };
        } else if (channel.isText === true) of.texts++;
        else if (isMissing(text)) {
          of.missing++;
          of.firstMissing ??= { text, line: lines[place]! };
        } else if (isKnown) throw noNumber(channel.name, text, lines[place]!);
        else {
          of.texts++;
          of.firstText ??= { text, line: lines[place]! };
        }
      }
    },
    end() {
      const leftOut: string[] = [];
      const notes: string[] = [];
      const columns = fields.map(({ channel, factor }, place): FieldColumn | undefined => {
        const { numbers, texts, firstText, missing, firstMissing, vanished } = facts[place] ?? noFacts();
        if (channel.isText === true)
          return texts === 0 ? undefined : { channel, read: (text) => text ?? null };
        if (texts > 0) {
          const { text, line } = firstText!;
          if (numbers > texts) throw noNumber(channel.name, text, line);
          notes.push(`${channel.name} is text ('${shown(text)}' in line ${line})`);
          return { channel: { ...channel, isText: true }, read: (value) => value ?? null };
        }
        if (firstMissing !== undefined)
          leftOut.push(
            `${missing} values of ${channel.name} that are none ('${firstMissing.text}' in line ${firstMissing.line})`,
          );
        if (numbers === 0) return undefined;
        if (vanished !== undefined)
          notes.push(
            `numbers of ${channel.name} nearer to 0 than a number can be are 0 ('${shown(vanished.text)}' in line ${vanished.line})`,
          );
        if (factor !== undefined) notes.push(`${channel.name} was in m/s and is in ${channel.unit} here`);
        return { channel, read: (text) => numberOf(text, factor) };
      });
      return { columns, leftOut, notes };
    },
  };
}

function numberOf(text: string | undefined, factor: number | undefined): number | null {
  const value = text === undefined ? undefined : numberOfCell(text, '.');
  if (value === undefined) return null;
  return factor === undefined ? value : inUnit(value, factor);
}

const shownCharacters = 40;

function shown(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

function noNumber(name: string, text: string, line: number): Error {
  return lineFault(line, `${name} is '${shown(text)}', which is no number`);
}
